// What the bundle makes elements with: scripts/console-assets.ts.
export { Fragment, h } from "preact";
