import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Website, WebsiteWithClients } from "../answers.ts";
import { websitePath } from "../lib/addresses.ts";
import { ask } from "../lib/ask.ts";
import { attempt } from "../lib/attempt.ts";
import { signedIn } from "../lib/session.ts";
import { effectOf, type SettingsForm, toBody, toForm } from "../lib/settings.ts";
import { useAct } from "../lib/use-act.ts";
import { go } from "../lib/use-route.ts";
import { FailureLine } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { SaveBar } from "../parts/progress.tsx";
import { Section } from "../parts/section.tsx";
import { tellDone } from "../parts/toast.tsx";
import { SettingRows } from "./setting-rows.tsx";

const save = (websiteId: string, form: SettingsForm) =>
  ask<WebsiteWithClients>(websitePath(websiteId), { method: "PUT", body: toBody(form) });

/** Nothing is stored before the bar has said what it will do. */
export function Settings({ website, reload }: { website: Website; reload: () => void }): JSX.Element {
  const before = toForm(website);
  const [form, setForm] = useState(before);
  const saving = useAct();
  const { isAway } = signedIn();
  const effect = effectOf(form, before);
  return (
    <Section id="settings" title="Settings">
      <SettingRows form={form} onChange={setForm} />
      {effect && (
        <SaveBar
          effect={effect.first}
          rest={effect.rest}
          save="Save this change"
          discard="Discard"
          isOff={saving.isBusy || isAway || !form.name.trim()}
          onDiscard={() => setForm(before)}
          onSave={() =>
            void saving.run(async () => {
              await save(website.websiteId, form);
              tellDone(
                effect.first,
                () => void attempt(() => save(website.websiteId, before), "It is not undone").then(reload),
              );
              reload();
            })
          }
        />
      )}
      <FailureLine failure={saving.failure} />
    </Section>
  );
}

const NOTHING = toForm({ carrier: "sandbox" });

export function NewWebsite(): JSX.Element {
  const [form, setForm] = useState(NOTHING);
  const [id, setId] = useState("");
  const saving = useAct();
  const { session, isAway } = signedIn();
  const isValid = /^[a-z0-9-]{1,40}$/.test(id) && form.name.trim() !== "";
  if (session.role !== "operator") return <Page title="Only an operator makes a website" />;
  return (
    <Page title="New website" crumbs={[{ label: "Websites", href: "#/websites" }, { label: "New" }]}>
      <div class="setting">
        <div>
          <label for="website-id">Id</label>
          <p class="hint">1 to 40 of a-z, 0-9 and -, for life.</p>
        </div>
        <div class="controls">
          <input
            id="website-id"
            value={id}
            autocomplete="off"
            placeholder="harbor-coffee"
            onInput={(event) => setId(event.currentTarget.value)}
          />
        </div>
      </div>
      <SettingRows form={form} onChange={setForm} />
      <SaveBar
        effect={
          isValid ? `${form.name} is made, and can be given clients and people.` : "An id and a name are missing."
        }
        save="Make the website"
        discard="Make none"
        isOff={!isValid || saving.isBusy || isAway}
        onDiscard={() => go("#/websites")}
        onSave={() =>
          void saving.run(async () => {
            await save(id, form);
            tellDone(`${form.name} is made.`);
            go(`#/websites/${id}?at=clients`);
          })
        }
      />
      <FailureLine failure={saving.failure} />
    </Page>
  );
}
