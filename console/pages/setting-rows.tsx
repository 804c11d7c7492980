import type { ComponentChildren, JSX } from "preact";
import type { SettingsForm } from "../lib/settings.ts";
import { Options } from "../parts/field.tsx";

const CARRIERS = ["twilio", "telnyx", "kannel", "sandbox"];

const ZONES = Intl.supportedValuesOf("timeZone");

interface Props {
  form: SettingsForm;
  onChange: (form: SettingsForm) => void;
}

/** The name and meaning of each setting to the left, its field to the right. */
export function SettingRows({ form, onChange }: Props): JSX.Element {
  const set = (key: keyof SettingsForm) => (event: { currentTarget: { value: string } }) =>
    onChange({ ...form, [key]: event.currentTarget.value });
  return (
    <>
      <Setting id="setting-name" label="Name" meaning="Shown here and in reports.">
        <input id="setting-name" value={form.name} autocomplete="off" onInput={set("name")} />
      </Setting>
      <Setting
        id="setting-carrier"
        label="Carrier and sender"
        meaning="What takes the texts, and the number that they come from."
      >
        <Options
          id="setting-carrier"
          options={[...new Set([...CARRIERS, form.carrier])].map((carrier) => [carrier, carrier])}
          value={form.carrier}
          onChange={(carrier) => onChange({ ...form, carrier })}
        />
        <input
          aria-label="Sender"
          value={form.sender}
          autocomplete="off"
          placeholder="+1 206 555 0100"
          onInput={set("sender")}
        />
      </Setting>
      <Setting id="setting-zone" label="Time zone" meaning="Of its people: so that you know what time it is there.">
        <Options
          id="setting-zone"
          options={[["", "none"], ...ZONES.map((zone) => [zone, zone.replaceAll("_", " ")] as const)]}
          value={form.timeZone}
          onChange={(timeZone) => onChange({ ...form, timeZone })}
        />
      </Setting>
      <Setting id="setting-help" label="Answer to HELP" meaning="One text to whoever asks for help.">
        <textarea id="setting-help" rows={2} value={form.helpText} onInput={set("helpText")} />
      </Setting>
      <Setting id="setting-words" label="Words that opt out" meaning="Besides STOP and its kin. Commas between them.">
        <input id="setting-words" value={form.optOutWords} autocomplete="off" onInput={set("optOutWords")} />
      </Setting>
      <Setting
        id="setting-window"
        label="The same text once"
        meaning="The same number, text and purpose within so many hours goes once."
      >
        <input
          id="setting-window"
          class="narrow"
          type="number"
          min={0}
          max={720}
          value={form.duplicateWindowHours}
          onInput={set("duplicateWindowHours")}
        />{" "}
        hours
      </Setting>
    </>
  );
}

function Setting({
  id,
  label,
  meaning,
  children,
}: {
  id: string;
  label: string;
  meaning: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="setting">
      <div>
        <label for={id}>{label}</label>
        <p class="hint">{meaning}</p>
      </div>
      <div class="controls">{children}</div>
    </div>
  );
}
