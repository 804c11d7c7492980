import { expect, it } from "vitest";
import { maskAnswer } from "../../../src/domain/operations/mask-people.ts";
import { PHONE_RULE } from "../../../src/domain/people/phone-fault.ts";

const masked = (answer: object) => maskAnswer(answer, { hidesTexts: true, personIds: new Map() });

it("masks people, and not the example in the rule about numbers", () => {
  const fault = "it has a national prefix after +44: without it, it is +447700900123";
  expect(masked({ message: `${PHONE_RULE}: ${fault}`, reason: `${PHONE_RULE}: 12125550142` })).toEqual({
    message: `${PHONE_RULE}: it has a national prefix after +44: without it, it is +44••••••••23`,
    reason: `${PHONE_RULE}: …42`,
  });
  expect(masked({ phone: "+12125550100", message: "such as +12125550100" })).toEqual({
    phone: "+1212•••••00",
    message: "such as +1212•••••00",
  });
});
