import { Form, useNavigation } from "@remix-run/react";
import { ListFilter, Search } from "lucide-react";
import { useRef } from "react";
import { Button } from "~/ui/button";
import { Dialog, useFocusFirstError } from "~/ui/dialog";
import { Field, Input, Select } from "~/ui/input";
import { Notice } from "~/ui/notice";
import type { ListView, SearchOutcome, SearchView } from "../../screens/rag-screen.schema";
import { ragAddress } from "../addresses";
import { TYPES } from "../document/source-labels";
import { SearchResults } from "./search-results";

interface SearchFiltersProps {
  searchView: SearchView;
  categories: readonly string[];
}

function SearchFilters({ searchView, categories }: SearchFiltersProps) {
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
            <option value="">All types</option>
            {Object.entries(TYPES).map(([value, label]) => (
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

interface SearchDialogProps {
  view: ListView;
  searchView: SearchView;
  categories: readonly string[];
  outcome: SearchOutcome | undefined;
}

export function SearchDialog({ view, searchView, categories, outcome }: SearchDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  const missing = outcome && "missing" in outcome ? outcome.missing : undefined;
  useFocusFirstError(form, missing && outcome);
  const navigation = useNavigation();
  const searching =
    navigation.state === "loading" &&
    new URLSearchParams(navigation.location.search).get("dialog") === "search";
  const listFilters = Object.entries(view).filter(([, value]) => value !== "");
  return (
    <Dialog
      title="Search Documents"
      description="Keyword and semantic search"
      closeTo={ragAddress(view)}
      size="lg"
      position="top"
    >
      <Form
        ref={form}
        method="get"
        action="/rag"
        role="search"
        noValidate
        preventScrollReset
        className="flex flex-col gap-3"
      >
        {listFilters.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <input type="hidden" name="dialog" value="search" />
        <div className="flex items-start gap-2">
          <Field label="Search query" name="q" hideLabel error={missing} className="flex-1">
            <Input
              type="search"
              defaultValue={searchView.q ?? ""}
              maxLength={2000}
              placeholder="What are you looking for?"
              autoComplete="off"
              enterKeyHint="search"
            />
          </Field>
          <Button variant="primary" pending={searching} icon={<Search aria-hidden="true" />}>
            Search
          </Button>
        </div>
        <SearchFilters searchView={searchView} categories={categories} />
      </Form>
      <Outcome outcome={outcome} searchView={searchView} />
    </Dialog>
  );
}

function Outcome({ outcome, searchView }: Pick<SearchDialogProps, "outcome" | "searchView">) {
  if (!outcome || "missing" in outcome) return null;
  if ("problem" in outcome)
    return (
      <Notice kind="danger" title="Search Failed" className="mt-4">
        Error: {outcome.problem}
      </Notice>
    );
  const { results, notice, embedder, tookMs } = outcome.answer;
  return (
    <SearchResults
      results={results}
      query={searchView.q ?? ""}
      notice={notice}
      advice={`Try other words${hasFilter(searchView) ? ", or fewer filters" : ""}.`}
      summary={`${embedder ? `Keywords and ${embedder}` : "Keywords only"} in ${Math.max(1, Math.round(tookMs))} ms`}
    />
  );
}

function hasFilter({ in: category, type, from, to }: SearchView): boolean {
  return [category, type, from, to].some((value) => value !== "");
}
