import { Form, Link, useSubmit } from "@remix-run/react";
import { ListFilter } from "lucide-react";
import { Button } from "~/ui/button";
import { Input, Select } from "~/ui/input";
import type { ListView } from "../rag-screen.schema";
import { listAddress } from "./addresses";

const STATUSES = [
  { value: "", label: "Every status" },
  { value: "ready", label: "Ready" },
  { value: "processing", label: "Processing" },
  { value: "failed", label: "Failed" },
] as const;

/** Name and status, kept in the address; a choice sends itself where there is script. */
export function DocumentFilter({ view }: { view: ListView }) {
  const submit = useSubmit();
  return (
    <Form
      method="get"
      action="/rag"
      preventScrollReset
      aria-label="Filter documents"
      className="flex flex-wrap items-center gap-2"
    >
      {view.group && <input type="hidden" name="group" value={view.group} />}
      {view.batch && <input type="hidden" name="batch" value={view.batch} />}
      <Input
        key={`find ${view.find}`}
        type="search"
        name="find"
        aria-label="Name"
        placeholder="Filter by name..."
        defaultValue={view.find}
        maxLength={200}
        className="w-auto flex-1 basis-40 sm:max-w-64"
      />
      <Select
        key={`status ${view.status}`}
        name="status"
        aria-label="Status"
        defaultValue={view.status}
        className="w-36"
        onChange={({ currentTarget }) => submit(currentTarget.form, { preventScrollReset: true })}
      >
        {STATUSES.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      <Button icon={<ListFilter aria-hidden="true" />}>Filter</Button>
      {(view.find || view.status) && (
        <Link
          to={listAddress(view, { find: "", status: "" })}
          preventScrollReset
          className="inline-flex min-h-8 items-center px-1.5 text-primary-ink underline-offset-4 hover:underline"
        >
          Clear
        </Link>
      )}
    </Form>
  );
}
