// The pages that tell how to deploy and to restore, as blocks and lines.
import { type Block, readBlocks } from "../harness/followed-page.ts";

export const DEPLOYING = readBlocks("docs/deploying.md");
export const RESTORING = readBlocks("docs/procedures.md").filter(({ heading }) => heading === "Restoring the database");
export const DOMAIN = "sms.textgate.test";

/** With the operator's own domain. */
export const linesOf = (blocks: Block[]) =>
  blocks
    .filter(({ language }) => language === "sh")
    .flatMap(({ lines }) => lines.map((line) => line.replaceAll("sms.example.com", DOMAIN)));
