import { useLocation, useNavigate, useSubmit } from "@remix-run/react";
import {
  type ActionImpl,
  getListboxItemId,
  KBAR_LISTBOX,
  KBarAnimator,
  KBarPortal,
  KBarPositioner,
  KBarProvider,
  KBarResults,
  KBarSearch,
  useKBar,
  useRegisterActions,
  VisualState,
} from "kbar";
import { Search } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { withBase } from "~/core/base-path";
import { cx } from "~/ui/class-names";
import { writeText } from "~/ui/typed-fields";
import type { FoundItem } from "../find.schema";
import { type Command, commands, FOUND_GROUPS, FOUND_ICONS } from "./commands";
import { Keys } from "./keys";
import { matchCommands } from "./match-commands";

interface ShownResults {
  results: readonly (ActionImpl | string)[];
  /** The text that they match. */
  search: string;
  /** Whether the server's items are those of that text. */
  isComplete: boolean;
}

/**
 * Holds an Enter right behind quick typing until the results are those of the typed text, then runs the first one:
 * kbar shows them in a later task, and the server's items follow.
 */
function useHeldEnter(shown: ShownResults): void {
  const { query, activeIndex } = useKBar((state) => ({ activeIndex: state.activeIndex }));
  const isHeld = useRef(false);
  /** The text for which kbar has selected the first result. */
  const selectedFor = useRef<string>();
  const first = shown.results.findIndex((item) => typeof item !== "string");
  if (activeIndex === first) selectedFor.current = shown.search;

  const isReady = () => {
    if (query.getInput().value !== shown.search) return false;
    const active = shown.results[activeIndex];
    const isCommand = typeof active === "object" && commands.some(({ id }) => id === active.id);
    if (first < 0) return shown.isComplete;
    // An arrow key or the mouse selected it.
    if (activeIndex !== first) return selectedFor.current === shown.search;
    return isCommand || shown.isComplete;
  };
  const latest = useRef(isReady);
  latest.current = isReady;

  // A layout effect: the list's own listener must come second.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.isComposing) return;
      isHeld.current = event.key === "Enter" && !latest.current();
      if (!isHeld.current) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    window.addEventListener("keydown", onKey, true);
    return () => window.removeEventListener("keydown", onKey, true);
  }, []);

  useEffect(() => {
    if (!isHeld.current || !latest.current()) return;
    isHeld.current = false;
    const active = shown.results[activeIndex];
    if (typeof active !== "object") return;
    // As kbar does on a click: a list that just appeared has no rows yet.
    active.command?.perform(active);
    query.toggle();
  });
}

interface KbarPaletteProps {
  mac: boolean;
  missingNeeds: readonly string[];
  recent: readonly FoundItem[];
  /** Returns the text typed before the field existed. */
  takeTyped: () => string;
  onClosed: () => void;
}

export default function KbarPalette({ mac, missingNeeds, recent, takeTyped, onClosed }: KbarPaletteProps) {
  const run = useRunCommand();
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const actions = commands.map((command) => ({
    id: command.id,
    name: command.name,
    section: command.group,
    keywords: command.keywords.replaceAll(" ", ","),
    perform: () => run(command),
  }));
  return (
    <KBarProvider
      actions={actions}
      options={{
        animations: still ? {} : { enterMs: 120 },
        disableDocumentLock: true,
        // The shell opens it; when open, kbar closes it.
        toggleShortcut: "$mod+k",
      }}
    >
      <OpenWhileMounted onClosed={onClosed} />
      <KBarPortal>
        <KBarPositioner className="z-60 bg-scrim p-4! sm:pt-[14vh]!">
          <KBarAnimator className="w-full max-w-xl overflow-hidden rounded-xl bg-raised shadow-float">
            <div role="dialog" aria-modal="true" aria-label="Command palette">
              <div className="flex items-center gap-3 border-line border-b px-4">
                <Search aria-hidden="true" className="size-4 text-muted" />
                <KBarSearch
                  defaultPlaceholder="Type a command or search..."
                  aria-label="Type a command or search"
                  className="h-12 min-w-0 flex-1 bg-transparent text-ink text-sm outline-none pointer-coarse:text-md"
                />
                <TypedEarly take={takeTyped} />
                <kbd className="rounded-xs border border-line px-1.5 text-muted text-xs">Esc</kbd>
              </div>
              <Results mac={mac} missingNeeds={missingNeeds} recent={recent} />
            </div>
          </KBarAnimator>
        </KBarPositioner>
      </KBarPortal>
    </KBarProvider>
  );
}

function useRunCommand(): (command: Command) => void {
  const navigate = useNavigate();
  const submit = useSubmit();
  const { pathname, search } = useLocation();
  return ({ to, values, leaves }) => {
    if (!values) return navigate(to);
    // As the menu does. A fetcher would be aborted when the palette closes.
    if (!leaves)
      return submit(
        { ...values, returnTo: pathname + search },
        { method: "post", action: to, preventScrollReset: true },
      );
    // Another document, so that nothing of this one stays in memory.
    const form = Object.assign(document.createElement("form"), { method: "post", action: withBase(to) });
    document.body.append(form);
    form.requestSubmit();
  };
}

/**
 * Opens kbar on mounting, and reports that it closes before it has faded out: a shortcut pressed meanwhile would open
 * what is about to go.
 */
function OpenWhileMounted({ onClosed }: { onClosed: () => void }) {
  const { query, visualState } = useKBar((state) => ({ visualState: state.visualState }));
  const opened = useRef(false);
  useEffect(() => {
    if (!opened.current) query.setVisualState(VisualState.animatingIn);
  }, [query]);
  useEffect(() => {
    if (visualState === VisualState.animatingIn || visualState === VisualState.showing) opened.current = true;
    else if (opened.current) onClosed();
  }, [visualState, onClosed]);
  return null;
}

/** Enters the text typed while the palette loaded. Rendered after the field, so that it already has the focus. */
function TypedEarly({ take }: { take: () => string }) {
  const { query } = useKBar();
  useEffect(() => {
    const field = query.getInput();
    const text = take();
    if (text === "") return;
    // kbar keeps the field's state to itself.
    writeText(field, text + field.value);
  }, [query, take]);
  return null;
}

/** Synchronous, as kbar's own search lags 100 ms. */
function usePaletteResults(missingNeeds: readonly string[], recent: readonly FoundItem[]) {
  const { search, actions } = useKBar((state) => ({ search: state.searchQuery, actions: state.actions }));
  const isTyped = search.trim() !== "";
  const { items, query } = useFoundItems(search);
  useFoundActions(isTyped ? items : recent);
  const commands = matchCommands(search, missingNeeds);
  const inGroup = (group: string, ids: readonly string[]) => {
    const items = ids.flatMap((id) => actions[id] ?? []);
    return items.length > 0 ? [group, ...items] : [];
  };
  const results: (ActionImpl | string)[] = [
    ...(isTyped ? [] : inGroup("Recent", recent.map(idOf))),
    ...["Actions", "Navigation"].flatMap((group) =>
      inGroup(
        group,
        commands.filter((command) => command.group === group).map(({ id }) => id),
      ),
    ),
    ...FOUND_GROUPS.flatMap(([kind, label]) =>
      inGroup(label, items.filter((item) => item.kind === kind).map(idOf)),
    ),
  ];
  const isComplete = !isTyped || (query === search && items.every((item) => idOf(item) in actions));
  return { results, search, isComplete };
}

const idOf = ({ kind, id }: FoundItem) => `${kind} ${id}`;

/** The items found last, and the text that they match. */
function useFoundItems(search: string): { items: FoundItem[]; query: string } {
  const [found, setFound] = useState<{ items: FoundItem[]; query: string }>({ items: [], query: "" });
  useEffect(() => {
    if (search.trim() === "") return setFound({ items: [], query: search });
    const controller = new AbortController();
    const { signal } = controller;
    const ask = async () => {
      const response = await fetch(withBase(`/api/search?q=${encodeURIComponent(search.slice(0, 200))}`), {
        signal,
      });
      const { found } = (response.ok ? await response.json() : { found: [] }) as { found: FoundItem[] };
      setFound({ items: found, query: search });
    };
    ask().catch(() => {
      // Otherwise the next letter aborted it.
      if (!signal.aborted) setFound({ items: [], query: search });
    });
    return () => controller.abort();
  }, [search]);
  return found;
}

function useFoundActions(items: readonly FoundItem[]): void {
  const navigate = useNavigate();
  useRegisterActions(
    items.map((item) => ({
      id: idOf(item),
      name: item.title,
      section: item.kind,
      perform: () => navigate(item.to),
    })),
    [items],
  );
}

function Results({ mac, missingNeeds, recent }: Omit<KbarPaletteProps, "takeTyped" | "onClosed">) {
  const shown = usePaletteResults(missingNeeds, recent);
  const { results } = shown;
  useHeldEnter(shown);
  const { activeIndex } = useKBar((state) => ({ activeIndex: state.activeIndex }));
  if (results.length === 0) {
    // kbar's input references these ids.
    return (
      <p id={KBAR_LISTBOX} role="status" className="px-4 py-10 text-center text-muted">
        <span id={getListboxItemId(activeIndex)}>No results found.</span>
      </p>
    );
  }
  return (
    <div ref={makeReachable} className="p-2">
      <KBarResults
        items={results}
        maxHeight={Math.min(600, window.innerHeight - 140)}
        onRender={({ item, active }) => <Result item={item} active={active} mac={mac} />}
      />
    </div>
  );
}

/** Scrollable regions must be focusable. */
function makeReachable(frame: HTMLElement | null): void {
  const list = frame?.firstElementChild;
  if (list && list.scrollHeight > list.clientHeight) list.setAttribute("tabindex", "0");
}

function Result({ item, active, mac }: { item: ActionImpl | string; active: boolean; mac: boolean }) {
  if (typeof item === "string") {
    return <div className="px-2 pt-3 pb-1 font-medium text-muted text-xs">{item}</div>;
  }
  const command = commands.find((one) => one.id === item.id);
  const Icon = command?.icon ?? FOUND_ICONS[item.section as FoundItem["kind"]];
  return (
    <div
      className={cx(
        "flex min-h-9 cursor-pointer items-center gap-3 rounded-md px-2 pointer-coarse:min-h-11",
        active ? "bg-active text-ink" : "text-ink",
      )}
    >
      {Icon && <Icon aria-hidden="true" className="size-4 text-muted" />}
      <span className="min-w-0 flex-1 truncate">{item.name}</span>
      {command && <Keys command={command} mac={mac} />}
    </div>
  );
}
