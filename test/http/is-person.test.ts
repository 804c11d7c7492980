/** Who has opened a link, by the agents that browsers and apps send. */
import { expect, it } from "vitest";
import type { ApiRequest } from "../../src/http/api-request.ts";
import { isPerson } from "../../src/http/is-person.ts";

const opens = (agent: string) =>
  isPerson({ method: "GET", headers: new Headers({ "user-agent": agent }) } as ApiRequest);

const SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";
const CHROME = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko)";

it.each([
  "Viber/20.9.0.8 CFNetwork/1410.0.3 Darwin/22.6.0",
  "Brand/7 CFNetwork/1494.0.7 Darwin/23.4.0",
  "MobileSafari/8617.1.17.10.9 CFNetwork/1490.0.4 Darwin/23.2.0",
  "Brand/1.0 (com.example.brand; build:1; iOS 18.1.0) Alamofire/5.9.1",
  "Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/AP1A.240505.004)",
  "Dart/3.5 (dart:io)",
  "stagefright/1.2 (Linux;Android 14)",
  "AppleCoreMedia/1.0.0.21E236 (iPhone; U; CPU OS 17_4 like Mac OS X; en_us)",
  "okhttp/4.12.0",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) SkypeUriPreview Preview/0.5",
  "WhatsApp/2.24.8.85 A",
  "curl/8.5.0",
])("is no person: %s", (agent) => {
  expect(opens(agent)).toBe(false);
});

it.each([
  `${SAFARI} Version/18.1 Mobile/15E148 Safari/604.1`,
  `${SAFARI} Mobile/15E148 Instagram 350.0.0.28.90 (iPhone15,2; iOS 18_1; en_US; en; scale=3.00; 1179x2556)`,
  `${SAFARI} CriOS/130.0.6723.90 Mobile/15E148 Safari/604.1`,
  `${CHROME} Chrome/130.0.0.0 Mobile Safari/537.36`,
  `${CHROME} Version/4.0 Chrome/130.0.0.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/480.0.0.0;]`,
  `${CHROME} SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36`,
  "Mozilla/5.0 (Mobile; Nokia 2780 Flip; rv:84.0) Gecko/84.0 Firefox/84.0 KAIOS/3.1",
  "Opera/9.80 (J2ME/MIDP; Opera Mini/7.1.32052/191.308; U; en) Presto/2.12.423 Version/12.16",
  "Nokia6300/2.0 (07.21) Profile/MIDP-2.0 Configuration/CLDC-1.1",
])("is a person: %s", (agent) => {
  expect(opens(agent)).toBe(true);
});
