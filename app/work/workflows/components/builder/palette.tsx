import { ChevronDown } from "lucide-react";
import { type DragEvent, useState } from "react";
import { textMatcher } from "~/core/language/find-words.shared";
import { Field, Input } from "~/ui/input";
import type { PartType } from "../../builder.schema";
import { PartIcon } from "./part-icon";

export const PART_DATA = "application/x-workflow-part";

interface PaletteProps {
  types: readonly PartType[];
  onAdd(type: PartType): void;
}

/** How well a component fits what is typed, lower is better: by the beginning of its label, of a word, or otherwise. */
function rankOf({ label }: PartType, search: string): number {
  const [name, typed] = [label.toLowerCase(), search.trim().toLowerCase()];
  if (name.startsWith(typed)) return 0;
  return name.split(" ").some((word) => word.startsWith(typed)) ? 1 : name.includes(typed) ? 2 : 3;
}

/** Drag or press to add. */
export function Palette({ types, onAdd }: PaletteProps) {
  const [search, setSearch] = useState("");
  const isFound = textMatcher(search);
  const matches = types
    .filter(
      ({ label, description, category, unavailable }) =>
        unavailable === undefined && isFound(`${label} ${description} ${category}`),
    )
    .sort((a, b) => rankOf(a, search) - rankOf(b, search));
  const categories = [...new Set(matches.map(({ category }) => category))];
  const drag = (event: DragEvent, { kind, type }: PartType) => {
    event.dataTransfer.setData(PART_DATA, `${kind}:${type}`);
    event.dataTransfer.effectAllowed = "copy";
  };
  return (
    <section aria-label="Components" className="flex min-h-0 flex-col gap-3 p-3">
      <Field label="Search components" hideLabel>
        <Input
          type="search"
          placeholder="Search components"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          onKeyDown={(event) => {
            // Enter would save the workflow.
            if (event.key !== "Enter") return;
            event.preventDefault();
            const [first] = matches;
            if (first && search.trim() !== "") onAdd(first);
          }}
        />
      </Field>
      <div className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1">
        {matches.length === 0 && <p className="text-muted">No components found</p>}
        {categories.map((category) => (
          <details key={category} open className="group mb-3">
            <summary className="mb-1 flex min-h-8 items-center justify-between gap-2 rounded-sm text-muted text-xs pointer-coarse:min-h-11">
              {category}
              <ChevronDown aria-hidden="true" className="size-3.5 group-open:rotate-180" />
            </summary>
            <ul className="flex flex-col gap-1">
              {matches
                .filter((type) => type.category === category)
                .map((type) => (
                  <li key={type.type}>
                    <button
                      type="button"
                      draggable
                      title={type.description}
                      onDragStart={(event) => drag(event, type)}
                      onClick={() => onAdd(type)}
                      className="flex min-h-10 w-full cursor-grab items-center gap-2 rounded-md border border-line bg-surface px-2 py-1 text-left text-ink hover:bg-hover pointer-coarse:min-h-11"
                    >
                      <PartIcon type={type} />
                      {type.label}
                    </button>
                  </li>
                ))}
            </ul>
          </details>
        ))}
      </div>
    </section>
  );
}
