import type { Night } from "./night.ts";
import type { Place } from "./place.ts";

const NAME = "ada";

/** What somebody does with the leaked token. */
async function misuse({ url }: Place, token: string): Promise<{ clientId: string; clientSecret: string }> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const call = (method: string, path: string, body: object) =>
    fetch(`${url}/operator${path}`, { method, headers, body: JSON.stringify(body) });
  await call("PUT", "/websites/brand", { helpText: "Call 900 100" });
  return (await (await call("POST", "/websites/brand/clients", {})).json()) as {
    clientId: string;
    clientSecret: string;
  };
}

const tokenNight: Night = {
  name: "operator token leaked",
  async play(place) {
    const { url } = place;
    await place.makeBrand(1);
    const { output } = await place.operator("create-token", NAME, "--json");
    const { token } = JSON.parse(output) as { token: string };
    const { clientId, clientSecret } = await misuse(place, token);
    const began = performance.now();
    await place.operator("end-token", NAME);
    const statusOf = async () =>
      (await fetch(`${url}/operator/websites`, { headers: { authorization: `Bearer ${token}` } })).status;
    const refused = [await statusOf(), await statusOf()];
    const ended = performance.now() - began;
    const audit = await place.operator("audit", "--by", NAME);
    await place.operator("change-client", clientId, "--suspend");
    await place.operator("put-website", "brand", "--help-text", "");
    const headers = { "content-type": "application/json", "x-client-id": clientId, "x-client-secret": clientSecret };
    const sent = await fetch(`${url}/text/message/send`, { method: "POST", headers, body: "{}" });
    const faults = [
      ...(refused.every((status) => status === 401) ? [] : [`the ended token is answered ${refused}`]),
      ...["create-client", "put-website", clientId, "Call 900 100"]
        .filter((word) => !audit.output.includes(word))
        .map((word) => `audit --by ${NAME} does not show ${word}`),
      ...(sent.status === 403 ? [] : [`the suspended client is answered ${sent.status}`]),
    ];
    const outcome = `refused from the answer of end-token on (${(ended / 1000).toFixed(1)} s with the command); audit shows its client and its change; both undone`;
    return { outcome, faults };
  },
};

export const TOKEN_NIGHTS = [tokenNight];
