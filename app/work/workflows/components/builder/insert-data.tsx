import { Pin } from "lucide-react";
import { useRef, useState } from "react";
import { textMatcher } from "~/core/language/find-words.shared";
import { Input } from "~/ui/input";
import { RelativeTime } from "~/ui/time";
import type { ExpressionName } from "../../builder.schema";
import { sampleNames } from "../../sample-values.shared";
import { stepPath } from "../../workflows.shared";
import { useBuilder } from "./builder-context";
import { documentedNames, earlierParts } from "./completion";

interface Group {
  title: string;
  isPinned: boolean;
  names: readonly ExpressionName[];
}

/** Earlier outputs with the values of the last run or try, else as their types document them. */
function useGroups(partId: string): Group[] {
  const { draft, types, samples, tried } = useBuilder();
  return earlierParts(draft, partId, types).flatMap((earlier): Group[] => {
    const { kind, part, title } = earlier;
    const sample = samples.steps[part.id];
    const isTried = tried?.tried.ok === true && tried.stepId === part.id && kind === "steps";
    const known = kind === "triggers" ? samples.trigger : sample?.names;
    const names = isTried
      ? sampleNames(tried.tried.output ?? null, stepPath(part.id))
      : known?.length
        ? known
        : documentedNames(earlier);
    return names.length === 0 ? [] : [{ title, isPinned: sample?.isPinned === true, names }];
  });
}

interface InsertDataProps {
  partId: string;
  onInsert(name: string): void;
  /** @param returnsFocus whether the focus is still in the list */
  onClose(returnsFocus: boolean): void;
}

/** The list behind the button Insert data. */
export default function InsertData({ partId, onInsert, onClose }: InsertDataProps) {
  const { samples } = useBuilder();
  const groups = useGroups(partId);
  const [search, setSearch] = useState("");
  const panel = useRef<HTMLDivElement>(null);
  const isFound = textMatcher(search);
  const typed = search.trim().toLowerCase();
  // A whole also has the values of its parts.
  const rank = ({ name }: ExpressionName) => Number(!name.toLowerCase().includes(typed));
  const found = groups.flatMap((group) => {
    const names = group.names
      .filter(({ name, description }) => isFound(`${group.title} ${name} ${description}`))
      .sort((a, b) => rank(a) - rank(b));
    return names.length > 0 ? [{ ...group, names }] : [];
  });
  const move = (by: 1 | -1) => {
    const rows = [...(panel.current?.querySelectorAll<HTMLElement>("input, button") ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    rows.at((at + by) % rows.length)?.focus();
  };
  return (
    <div
      ref={panel}
      role="dialog"
      aria-label="Insert data"
      className="absolute inset-x-0 top-full z-30 mt-1 flex max-h-80 flex-col rounded-lg bg-raised shadow-float"
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose(true);
        else if (event.key === "ArrowDown") move(1);
        else if (event.key === "ArrowUp") move(-1);
        else if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
          const [first] = found.flatMap(({ names }) => names);
          if (first) onInsert(first.name);
        } else return;
        event.preventDefault();
        event.stopPropagation();
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) onClose(false);
      }}
    >
      <div className="border-line border-b p-2">
        <Input
          type="search"
          aria-label="Search data"
          placeholder="Search data"
          autoFocus
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      </div>
      <div className="min-h-0 overflow-y-auto p-1">
        {found.length === 0 && (
          <p className="p-2 text-muted">{groups.length === 0 ? EMPTY : "Nothing found"}</p>
        )}
        {found.map(({ title, isPinned, names }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two steps may have one title.
          <section key={at} aria-label={title}>
            <h4 className="flex items-center gap-1.5 px-2 pt-2 pb-1 font-medium text-muted text-xs">
              {title}
              {isPinned && <Pin aria-label="Pinned" className="size-3" />}
            </h4>
            {names.map(({ name, description }) => (
              <button
                key={name}
                type="button"
                onClick={() => onInsert(name)}
                className="flex min-h-8 w-full min-w-0 flex-col rounded-sm px-2 py-1 text-left hover:bg-hover focus-visible:outline-offset-[-2px] pointer-coarse:min-h-11"
              >
                <span className="wrap-anywhere font-mono text-ink text-xs">{name}</span>
                <span className="w-full truncate text-muted text-xs">{description}</span>
              </button>
            ))}
          </section>
        ))}
      </div>
      <p className="border-line border-t px-3 py-2 text-muted text-xs">
        {samples.ranAt === undefined ? (
          "Run the workflow once to see its values here."
        ) : (
          <>
            Values of the run <RelativeTime at={samples.ranAt} style="running" />
          </>
        )}
      </p>
    </div>
  );
}

const EMPTY = "No step runs before this one.";
