import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Failure } from "../lib/ask.ts";
import { setTitle } from "../lib/title.ts";
import { Button } from "./button.tsx";
import { Copy } from "./copy.tsx";
import { Fact } from "./fact.tsx";
import { Icon, type IconName } from "./icon.tsx";

interface Props {
  /** The answer of the page, which is the title of its tab as well. */
  title: string;
  /** In place of the title on the page, such as a number that can be shown. */
  heading?: ComponentChildren;
  icon?: { name: IconName; tone: string };
  status?: ComponentChildren;
  crumbs?: { label: ComponentChildren; href?: string }[];
  lead?: ComponentChildren;
  acts?: ComponentChildren;
  children?: ComponentChildren;
}

export function Page({ title, heading, icon, status, crumbs, lead, acts, children }: Props): JSX.Element {
  useEffect(() => {
    setTitle(title);
    // A screen reader says it.
    document.getElementById("said")?.replaceChildren(title);
  }, [title]);
  return (
    <>
      <header class="page-head">
        {crumbs && (
          <nav class="crumbs" aria-label="Where this page is">
            {crumbs.map(({ label, href }, index) => (
              <span key={href ?? "here"}>
                {index > 0 && <span aria-hidden="true"> › </span>}
                {href ? <a href={href}>{label}</a> : label}
              </span>
            ))}
          </nav>
        )}
        <div class="page-row">
          <div class="page-words">
            <h1>
              {icon && <Icon name={icon.name} size={26} class={icon.tone} />}
              <span>{heading ?? title}</span> {status}
            </h1>
            {lead && <p class="lead">{lead}</p>}
          </div>
          {acts && <div class="page-acts">{acts}</div>}
        </div>
      </header>
      {children}
    </>
  );
}

/** A page that has no answer to show: it has not come yet, or it is a failure. */
export function NoAnswer({ failure, title, onRetry }: { failure: Failure | null; title: string; onRetry: () => void }) {
  return failure ? <FailedPage failure={failure} title={title} onRetry={onRetry} /> : <LoadingPage title={title} />;
}

/** A page whose first answer has not come: its name, and blocks of its size. No shimmer. */
function LoadingPage({ title }: { title: string }): JSX.Element {
  return (
    <Page title={title}>
      <Loading />
    </Page>
  );
}

export const Loading = (): JSX.Element => (
  <div class="loading" role="status">
    <span class="unseen">Loading</span>
    <div class="block tall" />
    <div class="block" />
    <div class="block" />
  </div>
);

/** A page whose answer is a failure, and that has no older one to show. */
function FailedPage({
  failure,
  title,
  onRetry,
}: {
  failure: Failure;
  title: string;
  onRetry: () => void;
}): JSX.Element {
  const isUnknown = failure.status === 404;
  const sentence = isUnknown
    ? `${title}: there is no such thing`
    : failure.isAway
      ? "Textgate does not answer"
      : failure.message;
  return (
    <Page
      title={sentence}
      icon={{ name: "problem", tone: "bad" }}
      lead={
        isUnknown
          ? "It may have been deleted."
          : failure.isAway
            ? "Texts that were accepted are stored. This page looks again by itself."
            : "Nothing was changed."
      }
    >
      <dl class="facts">
        <Fact name="Answer">
          {failure.status === 0 ? "none" : `${failure.status}, code ${failure.code}: ${failure.message}`}
        </Fact>
        {failure.requestId && (
          <Fact name="Request">
            <Copy value={failure.requestId} what="The request id" isWhole />
          </Fact>
        )}
      </dl>
      <p>
        <Button onPress={onRetry}>Look again</Button>
      </p>
    </Page>
  );
}
