import type { JSX } from "preact";
import { Button } from "./button.tsx";
import { copyText } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";

/** Secrets that are shown this once: only the button closes it. */
export function SecretOnce({
  title,
  lead,
  secrets,
  onClose,
}: {
  title: string;
  lead: string;
  secrets: { name: string; value: string }[];
  onClose: () => void;
}): JSX.Element {
  return (
    <Dialog
      title={title}
      isLight={false}
      onClose={onClose}
      buttons={
        <>
          <span class="gap" />
          <Button kind="dark" onPress={onClose}>
            I have kept {secrets.length === 1 ? "it" : "them"}
          </Button>
        </>
      }
    >
      <p class="dialog-lead">{lead}</p>
      {secrets.map(({ name, value }) => (
        <div class="secret" key={name}>
          <span class="label">{name}</span>
          <code>{value}</code>
          <Button isSmall onPress={() => void copyText(value, name)}>
            Copy
          </Button>
        </div>
      ))}
    </Dialog>
  );
}
