import { type ReactNode, useEffect, useRef, useState } from "react";
import { withBase } from "~/core/base-path";
import { Button, Spinner } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { problemDetail, UNREACHABLE } from "~/ui/failures";
import { Notice } from "~/ui/notice";
import type { DocumentScreenData } from "../../screens/document-screen.schema";
import { DocumentText } from "./document-text";
import { labelOfPage, pictureUrl } from "./source-labels";
import { VersionNotice } from "./version-notice";

type Read = { shown: DocumentScreenData } | { problem: string } | undefined;

/** Reads the text around a passage, whose page has the same address but for its last part. */
function useText(address: string): Read {
  const [read, setRead] = useState<{ address: string; result: Read }>();
  useEffect(() => {
    const controller = new AbortController();
    const load = async (): Promise<Read> => {
      const { pathname, search } = new URL(address, window.location.href);
      const response = await fetch(withBase(`${pathname}/passage${search}`), { signal: controller.signal });
      if (!response.ok) return { problem: await problemDetail(response) };
      return { shown: (await response.json()) as DocumentScreenData };
    };
    load().then(
      (result) => setRead({ address, result }),
      () => controller.signal.aborted || setRead({ address, result: { problem: UNREACHABLE } }),
    );
    return () => controller.abort();
  }, [address]);
  return read?.address === address ? read.result : undefined;
}

function middleOf(box: Element): number {
  const { top, height } = box.getBoundingClientRect();
  return top + height / 2;
}

/** A passage in its document's text, to which its parent is scrolled. @param address of the document's page at the passage */
export function CitedPassage({ address }: { address: string }) {
  const read = useText(address);
  if (!read) return <Spinner />;
  if ("problem" in read) return <Notice kind="danger">{read.problem}</Notice>;
  return <Text key={address} shown={read.shown} />;
}

function Text({
  shown: { document, text, quote, citedPage: page, lostVersion, query },
}: {
  shown: DocumentScreenData;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const [isPicture, setIsPicture] = useState(false);
  const { from, to, version } = query;
  useEffect(() => {
    if (isPicture) return;
    // `scrollIntoView` would scroll the page around the panel too.
    const scroller = frame.current?.parentElement;
    const mark = frame.current?.querySelector("#passage");
    if (scroller && mark) scroller.scrollTop += mark.getBoundingClientRect().top - middleOf(scroller);
  }, [isPicture]);
  if (!text) return null;
  const facts = document.version?.facts;
  const passage = from !== undefined && to !== undefined && to > from ? { start: from, end: to } : undefined;
  const picture = page === undefined ? undefined : pictureUrl(document, page, version);
  return (
    <div ref={frame}>
      <VersionNotice
        present={document.version?.number}
        version={version}
        lost={lostVersion}
        presentTo={`/rag/${encodeURIComponent(document.id)}`}
      />
      {picture && (
        <fieldset aria-label="View" className="sticky top-0 z-10 mb-3 flex w-fit gap-1 rounded-md bg-canvas">
          <ViewButton isPressed={!isPicture} onPress={() => setIsPicture(false)}>
            Text
          </ViewButton>
          <ViewButton isPressed={isPicture} onPress={() => setIsPicture(true)}>
            Page {page}
          </ViewButton>
        </fieldset>
      )}
      {picture && isPicture ? (
        <PagePicture address={picture} label={`Page ${page} of ${document.name}`} />
      ) : (
        <DocumentText
          page={text}
          passage={passage}
          quote={quote}
          pageLabel={(number) => labelOfPage(number, facts)}
        />
      )}
    </div>
  );
}

interface ViewButtonProps {
  isPressed: boolean;
  onPress: () => void;
  children: ReactNode;
}

function ViewButton({ isPressed, onPress, children }: ViewButtonProps) {
  return (
    <Button
      type="button"
      size="sm"
      variant={isPressed ? "secondary" : "ghost"}
      aria-pressed={isPressed}
      onClick={onPress}
    >
      {children}
    </Button>
  );
}

function PagePicture({ address, label }: { address: string; label: string }) {
  const [state, setState] = useState<"loading" | "loaded" | "failed">("loading");
  if (state === "failed")
    return <Notice kind="danger">This page couldn't be drawn. Read its text instead.</Notice>;
  return (
    <>
      {state === "loading" && <Spinner />}
      <img
        src={withBase(address)}
        alt={label}
        onLoad={() => setState("loaded")}
        onError={() => setState("failed")}
        className={cx("w-full rounded-sm border border-line", state === "loading" && "h-0")}
      />
    </>
  );
}
