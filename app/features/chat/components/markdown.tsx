import { lazy, Suspense, useMemo } from "react";
import { useHydrated } from "~/ui/use-hydrated";
import type { RenderedText } from "../markdown/tree.schema";
import { shownText } from "../shown-text.schema";
import { MarkdownTree } from "./markdown-tree";
import { PlainText } from "./plain-text";

// The reader is a third of the chat's script, and only an answer that is being written needs it.
const GrowingMarkdown = lazy(() => import("./growing-markdown"));

/**
 * A model's Markdown as elements. The server hands over its tree, which both sides draw from; without one the text is plain
 * until the page's script runs.
 */
export function Markdown({ text, tree }: { text: string; tree?: RenderedText | null | undefined }) {
  const shown = useMemo(() => shownText(text), [text]);
  const hydrated = useHydrated();
  const fits = tree?.length === shown.length;
  return (
    <div className="prose-qd min-w-0">
      {fits && tree ? (
        <MarkdownTree tree={tree} text={shown} />
      ) : hydrated ? (
        <Suspense fallback={<PlainText text={shown} />}>
          <GrowingMarkdown text={shown} />
        </Suspense>
      ) : (
        <PlainText text={shown} />
      )}
    </div>
  );
}
