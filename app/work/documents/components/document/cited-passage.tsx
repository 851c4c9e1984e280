import { useEffect, useRef, useState } from "react";
import { Spinner } from "~/ui/button";
import { problemDetail, UNREACHABLE } from "~/ui/failures";
import { Notice } from "~/ui/notice";
import type { DocumentScreenData } from "../../screens/document-screen.schema";
import { DocumentText } from "./document-text";
import { labelOfPage } from "./source-labels";
import { VersionNotice } from "./version-notice";

type Read = { shown: DocumentScreenData } | { problem: string } | undefined;

/** Reads the text around a passage, whose page has the same address but for its last part. */
function useText(address: string): Read {
  const [read, setRead] = useState<{ address: string; result: Read }>();
  useEffect(() => {
    const controller = new AbortController();
    const load = async (): Promise<Read> => {
      const { pathname, search } = new URL(address, window.location.href);
      const response = await fetch(`${pathname}/passage${search}`, { signal: controller.signal });
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

function Text({ shown: { document, text, quote, lostVersion, query } }: { shown: DocumentScreenData }) {
  const frame = useRef<HTMLDivElement>(null);
  const { from, to, version } = query;
  useEffect(() => {
    // `scrollIntoView` would scroll the page around the panel too.
    const scroller = frame.current?.parentElement;
    const mark = frame.current?.querySelector("#passage");
    if (scroller && mark) scroller.scrollTop += mark.getBoundingClientRect().top - middleOf(scroller);
  }, []);
  if (!text) return null;
  const facts = document.version?.facts;
  const passage = from !== undefined && to !== undefined && to > from ? { start: from, end: to } : undefined;
  return (
    <div ref={frame}>
      <VersionNotice
        present={document.version?.number}
        version={version}
        lost={lostVersion}
        presentTo={`/rag/${encodeURIComponent(document.id)}`}
      />
      <DocumentText
        page={text}
        passage={passage}
        quote={quote}
        pageLabel={(number) => labelOfPage(number, facts)}
      />
    </div>
  );
}
