import { Form, useNavigation } from "@remix-run/react";
import { Button, LinkButton } from "~/ui/button";
import { formatCount } from "~/ui/format";
import type { SearchIndex } from "~/work/index/indexes.schema";
import { useChangesAddress } from "../addresses";
import { ProgressBar } from "../progress-bar";
import { STORES } from "./settings-hints";

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
            {progressLabel(index, mayManage)}; the current index is used until then
          </p>
        </div>
      )}
      {state === "ready" && (
        <p className="text-muted text-xs">Compare both in the retrieval check before switching.</p>
      )}
      {error && <p className="wrap-anywhere text-danger-ink text-xs">{error}</p>}
      {mayManage && (
        <Form method="post" action={changes} preventScrollReset className="flex flex-wrap gap-2">
          <input type="hidden" name="id" value={index.id} />
          {state === "ready" && (
            <>
              <Button
                size="sm"
                variant="primary"
                name="intent"
                value="switch-index"
                pending={pending("switch-index")}
              >
                Switch Now
              </Button>
              <LinkButton size="sm" to="/rag/check">
                Compare
              </LinkButton>
            </>
          )}
          {state === "building" || state === "ready" ? (
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
  ready: "A new index is ready",
  serving: "Current index",
  failed: "The new index failed",
  cancelled: "New index canceled",
};

function progressLabel({ done, total }: SearchIndex, showsCounts: boolean): string {
  if (total === 0) return "Starting";
  return showsCounts
    ? `${formatCount(done)} of ${formatCount(total)} chunks`
    : `${Math.round((done / total) * 100)}%`;
}

function describe({ embedder, chunkTokens, store }: SearchIndex): string {
  return [embedder?.label ?? "Keywords only", `chunks of ${chunkTokens} tokens`, STORES[store]].join(" · ");
}
