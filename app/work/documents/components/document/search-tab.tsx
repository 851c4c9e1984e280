import { Form, useNavigation } from "@remix-run/react";
import { Search } from "lucide-react";
import { Button } from "~/ui/button";
import { Field } from "~/ui/field";
import { Input } from "~/ui/input";
import { Notice } from "~/ui/notice";
import type { DocumentFinding } from "../../screens/document-screen.schema";
import { SearchResults } from "../search/search-results";

interface SearchTabProps {
  query: string;
  finding: DocumentFinding | undefined;
}

export function SearchTab({ query, finding }: SearchTabProps) {
  const { state, location } = useNavigation();
  const searching = state === "loading" && new URLSearchParams(location.search).has("q");
  return (
    <>
      <Form method="get" role="search" preventScrollReset className="flex max-w-xl items-start gap-2">
        <input type="hidden" name="tab" value="search" />
        <Field label="Search in this document" name="q" hideLabel className="flex-1">
          <Input
            key={query}
            type="search"
            defaultValue={query}
            maxLength={2000}
            placeholder="What are you looking for?"
            autoComplete="off"
          />
        </Field>
        <Button variant="primary" pending={searching} icon={<Search aria-hidden="true" />}>
          Search
        </Button>
      </Form>
      {finding && "problem" in finding && (
        <Notice kind="danger" title="Search Failed" className="mt-4">
          Error: {finding.problem}
        </Notice>
      )}
      {finding && "results" in finding && (
        <SearchResults {...finding} query={query} advice="Try other words." />
      )}
    </>
  );
}
