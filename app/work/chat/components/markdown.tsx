import { useEffect, useMemo, useReducer, useState } from "react";
import { toDisplayText } from "~/core/well-formed";
import { useHydrated } from "~/ui/hydration";
import type { LiveMarkdown } from "../markdown/live.shared";
import type { RenderedText } from "../markdown/tree.shared";
import { loadedReader, loadReader } from "./markdown-reader";
import { MarkdownTree } from "./markdown-tree";
import { PlainText } from "./plain-text";

/** Parsing time per frame, in ms. */
const TIME_PER_FRAME = 8;
/** Without new text, after which a slow end is parsed, in ms. */
const PAUSE = 250;

interface StreamedProps {
  text: string;
  /** From the server once the answer is stored: the same blocks, with formulas typeset. */
  stored: RenderedText | null;
}

/** Markdown that came without a tree, such as a streaming answer: plain text until the parser has loaded. */
function StreamedMarkdown({ text, stored }: StreamedProps) {
  const [loaded, setLoaded] = useState(loadedReader);
  useEffect(() => {
    if (loaded) return;
    loadReader().then(
      (reader) => setLoaded(() => reader),
      () => undefined,
    );
  }, [loaded]);
  if (loaded) return <GrowingMarkdown text={text} stored={stored} Reader={loaded} />;
  return stored ? <MarkdownTree tree={stored} text={text} /> : <PlainText text={text} />;
}

function GrowingMarkdown({ text, stored, Reader }: StreamedProps & { Reader: typeof LiveMarkdown }) {
  const [reader] = useState(() => new Reader());
  const [frame, parseMore] = useReducer((count: number) => count + 1, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each frame parses more of the same text.
  const { tree, whole, pausing } = useMemo(() => reader.grow(text, TIME_PER_FRAME), [reader, text, frame]);
  useEffect(() => {
    if (whole && !pausing) return;
    const timer = setTimeout(parseMore, whole ? PAUSE : 0);
    return () => clearTimeout(timer);
  });
  return <MarkdownTree tree={stored ?? tree} text={text} />;
}

/** Renders Markdown from the server's tree; without one, plain text until JavaScript runs. */
export function Markdown({ text, tree }: { text: string; tree?: RenderedText | null | undefined }) {
  const visibleText = useMemo(() => toDisplayText(text), [text]);
  const hydrated = useHydrated();
  const serverTree = tree?.length === visibleText.length ? tree : null;
  // A streamed answer keeps its component: another one would redraw it, losing selection, focus and scroll position.
  const [streamed] = useState(() => hydrated && !serverTree);
  return (
    <div className="prose-qd min-w-0">
      {serverTree && !streamed ? (
        <MarkdownTree tree={serverTree} text={visibleText} />
      ) : hydrated ? (
        <StreamedMarkdown text={visibleText} stored={serverTree} />
      ) : (
        <PlainText text={visibleText} />
      )}
    </div>
  );
}
