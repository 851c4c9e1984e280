import { Form, Link, useSubmit } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { Button } from "~/ui/button";
import { SearchInput } from "~/ui/search-input";
import type { ListView } from "../screens/rag-screen.schema";
import { listAddress } from "./addresses";

/** Delay before typed text is searched (ms). */
const SEARCH_DELAY = 200;

export function DocumentFilter({ view }: { view: ListView }) {
  const submit = useSubmit();
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    const { current } = field;
    // While someone types, the address lags behind the field.
    if (current && current !== document.activeElement) current.value = view.find;
  }, [view.find]);
  const otherFilters = { group: view.group, status: view.status, batch: view.batch };
  return (
    <Form
      method="get"
      action="/rag"
      preventScrollReset
      aria-label="Filter documents"
      className="flex min-w-0 flex-1 basis-56 items-center gap-2 sm:max-w-80"
      onSubmit={() => clearTimeout(timer.current)}
    >
      {Object.entries(otherFilters).map(
        ([name, value]) => value && <input key={name} type="hidden" name={name} value={value} />,
      )}
      <SearchInput
        ref={field}
        name="find"
        aria-label="Name"
        placeholder="Filter by name..."
        defaultValue={view.find}
        onChange={({ currentTarget: { form } }) => {
          clearTimeout(timer.current);
          timer.current = setTimeout(
            () => submit(form, { replace: true, preventScrollReset: true }),
            SEARCH_DELAY,
          );
        }}
        className="min-w-0 flex-1"
      />
      <Button className="scripted:hidden">Filter</Button>
      {(view.find || view.status) && (
        <Link
          to={listAddress(view, { find: "", status: "" })}
          preventScrollReset
          className="inline-flex min-h-8 items-center px-1 text-primary-ink underline-offset-4 hover:underline pointer-coarse:min-h-11"
        >
          Clear
        </Link>
      )}
    </Form>
  );
}
