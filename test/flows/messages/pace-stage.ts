import { twilio } from "../../carriers/twilio.ts";
import { FULL, SenderStage } from "./sender-stage.ts";

/** Twilio, which takes every text, and a sender of the website "shop" that gets a pace. */
export class PaceStage {
  readonly senders: SenderStage;
  /** When each text came to the carrier. */
  readonly came: { messageId: string; from: string; at: number }[] = [];

  private constructor(senders: SenderStage) {
    this.senders = senders;
    senders.at.answer = ({ messageId, from }) => {
      this.came.push({ messageId, from, at: this.world.now });
      return twilio.accepts();
    };
  }

  static async create(): Promise<PaceStage> {
    return new PaceStage(await SenderStage.create());
  }

  get world() {
    return this.senders.at.world;
  }

  get paced() {
    return this.came.filter(({ from }) => from === FULL);
  }

  async setPace(pace: object): Promise<void> {
    const { status } = await this.world.operator("PUT", `/senders/twilio/${encodeURIComponent(FULL)}`, pace);
    if (status !== 200) throw new Error(`set-sender: ${status}`);
  }

  /** Second after second, with the sweep every minute. */
  async passSeconds(seconds: number): Promise<void> {
    for (let second = 1; second <= seconds; second++) {
      this.world.advance(1);
      if (second % 60 === 0) await this.world.sweep();
      await this.world.runQueues();
    }
  }
}
