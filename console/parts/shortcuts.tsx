import type { JSX } from "preact";
import { SHORTCUTS } from "../lib/keyboard.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

export function Shortcuts({ onClose }: { onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Keys" onClose={onClose} buttons={<Button onPress={onClose}>Close</Button>}>
      <dl class="shortcuts">
        {SHORTCUTS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
