import { type RefObject, useSyncExternalStore } from "react";
import { useBrowserLayout } from "~/ui/hydration";

/** A block of HTML that a conversation shows. */
export interface HtmlPage {
  title: string | undefined;
  code: string;
  /** Its block, whose place in the conversation orders the versions. */
  element: HTMLElement;
}

interface State {
  pages: readonly HtmlPage[];
  /** The one that runs, if one does: another one's begin ends it. */
  running: HtmlPage | undefined;
}

let state: State = { pages: [], running: undefined };
const listeners = new Set<() => void>();
const NOTHING: State = state;

function change(next: Partial<State>): void {
  state = { ...state, ...next };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** In characters: a title stands at the beginning. */
const HEAD = 20_000;

/** The text of `<title>`. Only that is parsed: what else a page has may break the policy even in a document apart. */
function titleOf(code: string): string | undefined {
  const title = /<title\b[^>]*>([^<]{1,300})/i.exec(code.slice(0, HEAD))?.[1];
  const text = title && new DOMParser().parseFromString(title, "text/html").body.textContent;
  return text?.replace(/\s+/g, " ").trim().slice(0, 100) || undefined;
}

const logOf = ({ element }: HtmlPage) => element.closest("[role=log]");

/** The pages of the same conversation with the same title, in its order; one without a title is by itself. */
function versionsOf(page: HtmlPage, pages: readonly HtmlPage[]): HtmlPage[] {
  if (page.title === undefined) return [page];
  return pages
    .filter((other) => other.title === page.title && logOf(other) === logOf(page))
    .sort((one, other) =>
      one.element.compareDocumentPosition(other.element) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
    );
}

/** Registers a block's page while it is shown. */
export function useHtmlPage(block: RefObject<HTMLElement>, code: string) {
  const { pages, running } = useSyncExternalStore(
    subscribe,
    () => state,
    () => NOTHING,
  );
  useBrowserLayout(() => {
    const element = block.current;
    if (!element) return;
    const page = { title: titleOf(code), code, element };
    change({ pages: [...state.pages, page] });
    return () =>
      change({
        pages: state.pages.filter((other) => other !== page),
        ...(state.running === page ? { running: undefined } : {}),
      });
  }, [block, code]);
  const page = pages.find(({ element }) => element === block.current);
  return {
    page,
    versions: page ? versionsOf(page, pages) : [],
    isRunning: page !== undefined && running === page,
    run: () => change({ running: page }),
    stop: () => change({ running: undefined }),
  };
}
