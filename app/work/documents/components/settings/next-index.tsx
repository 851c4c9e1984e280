import { Form, useNavigation } from "@remix-run/react";
import { Button } from "~/ui/button";
import type { SearchIndex } from "~/work/index/indexes.schema";
import { useChangesAddress } from "../addresses";
import { ProgressBar } from "../progress-bar";
import { progressLabel, STORES } from "./settings-hints";

export function NextIndex({ index, mayManage }: { index: SearchIndex; mayManage: boolean }) {
  const { formData } = useNavigation();
  const changes = useChangesAddress();
  const { state, done, total, error } = index;
  const pending = (intent: string) => formData?.get("intent") === intent;
  return (
    <section
      aria-labelledby="next-index"
      className="flex flex-col gap-2 rounded-md border border-line px-3 py-2.5"
    >
      <div>
        <p id="next-index" className="font-medium">
          {TITLES[state]}
        </p>
        <p className="wrap-anywhere text-muted text-xs">{describe(index)}</p>
      </div>
      {state === "building" && (
        <div>
          <ProgressBar label="Index build" done={done} total={total} />
          <p className="mt-1 text-muted text-xs tabular-nums">
            {progressLabel(index, mayManage)}; until then the current index answers
          </p>
        </div>
      )}
      {error && <p className="wrap-anywhere text-danger-ink text-xs">{error}</p>}
      {mayManage && (
        <Form method="post" action={changes} preventScrollReset className="flex flex-wrap gap-2">
          <input type="hidden" name="id" value={index.id} />
          {state === "building" ? (
            <Button size="sm" name="intent" value="cancel-index" pending={pending("cancel-index")}>
              Cancel<span className="sr-only"> the new index</span>
            </Button>
          ) : (
            <Button size="sm" name="intent" value="rebuild-index" pending={pending("rebuild-index")}>
              Rebuild
            </Button>
          )}
        </Form>
      )}
    </section>
  );
}

const TITLES: Record<SearchIndex["state"], string> = {
  building: "A new index is being built",
  serving: "Current index",
  failed: "The new index failed",
  cancelled: "New index canceled",
};

function describe({ embedder, chunkTokens, store }: SearchIndex): string {
  return [embedder?.label ?? "Keywords only", `chunks of ${chunkTokens} tokens`, STORES[store]].join(" · ");
}
