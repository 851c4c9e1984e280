import { Form, Link } from "@remix-run/react";
import { FileUp } from "lucide-react";
import { Button } from "~/ui/button";
import { countOf } from "~/ui/format";
import type { Document } from "../documents.schema";
import { useChangesAddress } from "./addresses";

/** Asks what a document is that has the file name of an older one. */
function SameNameChoice({ documents }: { documents: readonly Pick<Document, "id" | "name">[] }) {
  const action = useChangesAddress();
  const isOne = documents.length === 1;
  const about = isOne && <span className="sr-only"> {documents[0]?.name}</span>;
  return (
    <Form method="post" action={action} preventScrollReset className="row-over flex flex-wrap gap-1.5">
      {documents.map(({ id }) => (
        <input key={id} type="hidden" name="ids" value={id} />
      ))}
      <Button size="sm" name="intent" value="new-versions" icon={<FileUp aria-hidden="true" />}>
        {isOne ? "New Version" : "New Versions"}
        {about}
      </Button>
      <Button size="sm" variant="ghost" name="intent" value="keep-both">
        {isOne ? "Keep Both" : "Keep All"}
        {about}
      </Button>
    </Form>
  );
}

export function SameName({ document }: { document: Document }) {
  const { sameNameAs } = document;
  if (!sameNameAs) return null;
  return (
    <div data-same-name className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <p className="wrap-anywhere min-w-0 text-muted text-xs">
        Same file name as{" "}
        <Link
          to={`/rag/${encodeURIComponent(sameNameAs.id)}`}
          className="row-over text-primary-ink underline underline-offset-4"
        >
          {sameNameAs.name}
        </Link>
        . Is it a new version?
      </p>
      <SameNameChoice documents={[document]} />
    </div>
  );
}

/** Asks about several documents of an upload at once. */
export function SameNames({ ids }: { ids: readonly string[] }) {
  return (
    <div
      data-same-name
      className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-line border-t px-4 py-2"
    >
      <p className="min-w-0 text-sm">
        {countOf(ids.length, "file")} have the names of older documents. Are they new versions?
      </p>
      <SameNameChoice documents={ids.map((id) => ({ id, name: "" }))} />
    </div>
  );
}
