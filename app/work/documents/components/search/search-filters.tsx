import { ListFilter } from "lucide-react";
import { Field } from "~/ui/field";
import { Input, Select } from "~/ui/input";
import type { SearchView } from "../../screens/rag-screen.schema";

interface SearchFiltersProps {
  searchView: SearchView;
  categories: readonly string[];
}

const TYPES = [
  { value: "", label: "All types" },
  { value: "text", label: "Text" },
  { value: "url", label: "Web page" },
  { value: "file", label: "File" },
] as const;

export function SearchFilters({ searchView, categories }: SearchFiltersProps) {
  const count = [searchView.in, searchView.type, searchView.from, searchView.to].filter(Boolean).length;
  return (
    <details open={count > 0} className="group">
      <summary className="inline-flex min-h-8 items-center gap-1.5 rounded-sm text-muted hover:text-ink pointer-coarse:min-h-11">
        <ListFilter aria-hidden="true" className="size-4" />
        Filters
        {count > 0 && (
          <span className="rounded-full bg-active px-1.5 text-xs tabular-nums">
            {count}
            <span className="sr-only"> set</span>
          </span>
        )}
      </summary>
      <div className="mt-2 grid grid-cols-2 gap-3 md:grid-cols-4">
        <Field label="Category" name="in">
          <Select defaultValue={searchView.in}>
            <option value="">Every category</option>
            {searchView.in && !categories.includes(searchView.in) && <option>{searchView.in}</option>}
            {categories.map((category) => (
              <option key={category}>{category}</option>
            ))}
          </Select>
        </Field>
        <Field label="Type" name="type">
          <Select defaultValue={searchView.type}>
            {TYPES.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
        <Field label="Added from" name="from">
          <Input type="date" defaultValue={searchView.from} />
        </Field>
        <Field label="Added until" name="to">
          <Input type="date" defaultValue={searchView.to} />
        </Field>
      </div>
      <p className="mt-1.5 text-muted text-xs">Dates use the organization's time zone.</p>
    </details>
  );
}
