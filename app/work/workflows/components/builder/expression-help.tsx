import { ChevronRight } from "lucide-react";
import { useBuilder } from "./builder-context";
import { namesFor } from "./completion";

export function ExpressionHelp() {
  const { draft, names, types } = useBuilder();
  return (
    <details className="group/names rounded-lg border border-line bg-surface px-4 py-2">
      <summary className="flex min-h-8 items-center gap-1.5 text-sm pointer-coarse:min-h-11">
        <ChevronRight aria-hidden="true" className="size-4 group-open/names:rotate-90" />
        Names for expressions
      </summary>
      <p className="mt-1 mb-2 text-muted text-xs">
        Write <code>{"{{ … }}"}</code> in a text to insert a value, such as{" "}
        <code>{"{{ steps.search_documents_1.text }}"}</code>. Conditions are expressions without braces.
      </p>
      <dl className="grid gap-x-4 gap-y-1 pb-2 text-xs sm:grid-cols-[14rem_1fr]">
        {namesFor(draft, "", names, types).map(({ name, description }) => (
          <div key={name} className="contents">
            <dt className="font-mono">{name}</dt>
            <dd className="text-muted">{description}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
