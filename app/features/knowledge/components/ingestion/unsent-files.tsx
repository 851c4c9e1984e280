import { Button, LinkButton } from "~/ui/button";
import { countOf } from "~/ui/format";
import { Notice } from "~/ui/notice";
import type { ListView } from "../../screens/rag-screen.schema";
import { ragAddress } from "../documents/addresses";
import { namesOf, type PickedFile } from "./picked-files";

export interface BrokenUpload {
  batch: string;
  problem: string;
  /** Category and readers, for the retry. */
  fields: [string, string][];
}

/** An upload that was refused as a whole: why, and its fields. */
export type RefusedUpload = Omit<BrokenUpload, "batch">;

interface UnsentFilesProps {
  broken: BrokenUpload;
  files: readonly PickedFile[];
  view: ListView;
  onLeave: () => void;
}

export function UnsentFiles({ broken, files, view, onLeave }: UnsentFilesProps) {
  return (
    <Notice kind="danger" title={`${countOf(files.length, "file")} not sent`}>
      <p className="wrap-anywhere">
        {broken.problem} {namesOf(files)}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <LinkButton to={ragAddress(view, { dialog: "ingest", tab: "file" })} preventScrollReset size="sm">
          Send Remaining
        </LinkButton>
        <Button type="button" size="sm" onClick={onLeave}>
          Skip Them
        </Button>
      </div>
    </Notice>
  );
}
