import { useEffect, useMemo, useReducer, useState } from "react";
import { useHydrated } from "~/ui/use-hydrated";
import type { LiveMarkdown } from "../markdown/live.shared";
import type { RenderedText } from "../markdown/tree.shared";
import { toDisplayText } from "../shown-text.shared";
import { loadedReader, loadReader } from "./markdown-reader";
import { MarkdownTree } from "./markdown-tree";
import { PlainText } from "./plain-text";

/** Parsing time per frame, in ms. */
const TIME_PER_FRAME = 8;

/** Markdown without a tree from the server, such as a streaming answer: plain text until the parser has loaded. */
function UnreadMarkdown({ text }: { text: string }) {
  const [loaded, setLoaded] = useState(loadedReader);
  useEffect(() => {
    if (loaded) return;
    loadReader().then(
      (reader) => setLoaded(() => reader),
      () => undefined,
    );
  }, [loaded]);
  return loaded ? <GrowingMarkdown text={text} Reader={loaded} /> : <PlainText text={text} />;
}

/** Parses in the browser, within a time limit per frame. */
function GrowingMarkdown({ text, Reader }: { text: string; Reader: typeof LiveMarkdown }) {
  const [reader] = useState(() => new Reader());
  const [frame, parseMore] = useReducer((count: number) => count + 1, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each frame parses more of the same text.
  const { tree, whole } = useMemo(() => reader.grow(text, TIME_PER_FRAME), [reader, text, frame]);
  useEffect(() => {
    if (whole) return;
    const timer = setTimeout(parseMore, 0);
    return () => clearTimeout(timer);
  });
  return <MarkdownTree tree={tree} text={text} />;
}

/** Renders Markdown from the server's tree; without one, plain text until JavaScript runs. */
export function Markdown({ text, tree }: { text: string; tree?: RenderedText | null | undefined }) {
  const visibleText = useMemo(() => toDisplayText(text), [text]);
  const hydrated = useHydrated();
  const serverTree = tree?.length === visibleText.length ? tree : null;
  // A streamed answer stays with the browser's parser: a switch would redraw it, losing selection, focus and scroll position.
  const [streamed] = useState(() => hydrated && !serverTree);
  return (
    <div className="prose-qd min-w-0">
      {serverTree && !streamed ? (
        <MarkdownTree tree={serverTree} text={visibleText} />
      ) : hydrated ? (
        <UnreadMarkdown text={visibleText} />
      ) : (
        <PlainText text={visibleText} />
      )}
    </div>
  );
}
