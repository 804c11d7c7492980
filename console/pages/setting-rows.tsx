import type { JSX } from "preact";
import type { AccountList } from "../answers.ts";
import type { SettingsForm } from "../lib/settings.ts";
import { TIME_ZONES } from "../lib/time-zones.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { Options } from "../parts/field.tsx";

interface Field {
  key: keyof SettingsForm;
  /** `area`: lines of text. */
  is?: "number" | "area";
  /** What belongs to the second field of a row. */
  label?: string;
  placeholder?: string;
  options?: (readonly [value: string, label: string])[];
  /** The sending hours with which it has a meaning. */
  needs?: string[];
  /** What stands after it. */
  unit?: string;
}

const CARRIERS = ["twilio", "telnyx", "kannel", "sandbox"];

const ZONES = TIME_ZONES.map((zone) => [zone, zone.replaceAll("_", " ")] as const);

const ROWS: [label: string, meaning: string, ...fields: Field[]][] = [
  ["Name", "Shown here and in reports.", { key: "name" }],
  [
    "Carrier and sender",
    "What takes the texts.",
    { key: "carrier", options: CARRIERS.map((carrier) => [carrier, carrier]) },
    { key: "sender", label: "Sender", placeholder: "+1 206 555 0100" },
  ],
  [
    "Fallback",
    "What takes the texts while those pause.",
    { key: "fallbackCarrier", options: [["", "none"], ...CARRIERS.map((carrier) => [carrier, carrier] as const)] },
    { key: "fallbackSender", label: "Sender of the fallback", placeholder: "+1 206 555 0199" },
  ],
  ["Time zone", "Where its people live.", { key: "timeZone", options: [["", "none"], ...ZONES] }],
  ["Answer to HELP", "One text to whoever asks for help.", { key: "helpText", is: "area" }],
  ["Words that opt out", "Besides STOP. Commas between them.", { key: "optOutWords" }],
  [
    "The same text once",
    "The same number, text and purpose within so many hours goes once.",
    { key: "duplicateWindowHours", is: "number", unit: "hours" },
  ],
  [
    "Frequency cap",
    "The most marketing texts to one person.",
    { key: "capCount", is: "number", unit: "in" },
    { key: "capHours", is: "number", label: "Hours of the cap", unit: "hours" },
  ],
  [
    "Sending hours",
    "By the clock of the person, for marketing.",
    {
      key: "hours",
      options: [
        ["", "any time"],
        ["us-strict", "strictest of the USA"],
        ["custom", "of its own"],
      ],
    },
    {
      key: "whenClosed",
      needs: ["us-strict", "custom"],
      label: "While they are closed",
      options: [
        ["delay", "what comes waits"],
        ["refuse", "what comes is refused"],
      ],
    },
    {
      key: "windows",
      needs: ["custom"],
      label: "Hours of its own",
      placeholder: "mon-fri 09:00-20:00",
    },
  ],
  ["Daily limit", "The most texts in 24 hours.", { key: "dailyLimit", is: "number", unit: "texts" }],
  [
    "Unreachable after",
    "So many texts in a row that fail because of the number.",
    { key: "unreachableAfter", is: "number", unit: "texts" },
  ],
  [
    "Transactional purposes",
    "Under no cap. All others are marketing.",
    { key: "transactionalPurposes", placeholder: "login-code, receipt" },
  ],
  ["Countries", "To which it sends. Empty: to all.", { key: "allowedCountries", placeholder: "US, CA" }],
  [
    "Origin of links",
    "A domain of its own that leads to this service.",
    { key: "linkOrigin", placeholder: "https://go.example.com" },
  ],
];

interface Props {
  form: SettingsForm;
  onChange: (form: SettingsForm) => void;
}

/** The name and meaning of each setting to the left, its fields to the right. */
export function SettingRows({ form, onChange }: Props): JSX.Element {
  const { data } = useAnswer<AccountList>("/operator/accounts", undefined, false);
  const named = (data?.accounts ?? []).map(({ name, carrier }) => [name, `${name} (${carrier})`] as const);
  const withNamed = (field: Field): Field =>
    field.key === "carrier" ? { ...field, options: [...(field.options ?? []), ...named] } : field;
  return (
    <>
      {ROWS.map(([label, meaning, ...fields]) => (
        <div class="setting" key={label}>
          <div>
            <label for={`setting-${fields[0]?.key}`}>{label}</label>
            <p class="hint">{meaning}</p>
          </div>
          <div class="controls">
            {fields
              .filter(({ needs }) => !needs || needs.includes(form.hours))
              .map((field) => (
                <SettingField
                  key={field.key}
                  field={withNamed(field)}
                  value={form[field.key]}
                  onChange={(value) => onChange({ ...form, [field.key]: value })}
                />
              ))}
          </div>
        </div>
      ))}
    </>
  );
}

function SettingField({
  field: { key, is, label, placeholder, options, unit },
  value,
  onChange,
}: {
  field: Field;
  value: string;
  onChange: (value: string) => void;
}): JSX.Element {
  const id = `setting-${key}`;
  if (options) {
    // What a website has stays a choice, though the list lacks it.
    const all = options.some(([it]) => it === value) ? options : [...options, [value, value] as const];
    return <Options id={id} label={label} options={all} value={value} onChange={onChange} />;
  }
  const Tag = (is === "area" ? "textarea" : "input") as "input";
  return (
    <>
      <Tag
        id={id}
        class={is}
        aria-label={label}
        value={value}
        autocomplete="off"
        placeholder={placeholder}
        {...(is === "number" && { type: is })}
        onInput={(event) => onChange(event.currentTarget.value)}
      />{" "}
      {unit}
    </>
  );
}
