// Pure. Into how many segments a carrier cuts a text, which is what it charges for.
import { SegmentedMessage } from "sms-segments-calculator";

export interface Segments {
  /** GSM-7 (GSM 03.38 with its extension table) where every character is in it, UCS-2 otherwise. */
  encoding: "GSM-7" | "UCS-2";
  segments: number;
}

export function countSegments(text: string): Segments {
  const message = new SegmentedMessage(text);
  return { encoding: message.encodingName === "GSM-7" ? "GSM-7" : "UCS-2", segments: message.segmentsCount };
}
