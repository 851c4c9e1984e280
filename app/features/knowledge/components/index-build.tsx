import { Form, useNavigation } from "@remix-run/react";
import { Button, LinkButton } from "~/ui/button";
import { formatCount } from "~/ui/format";
import { ProgressBar } from "./progress-bar";
import { useChangesAddress } from "./use-changes-address";

/** An index on its way beside the one that serves. */
export interface IndexBuildView {
  id: string;
  /** `ready` is complete and waits for a person. */
  state: "building" | "ready" | "failed";
  /** What it will be: its embedder, chunks and store. */
  label: string;
  done: number;
  total: number;
  error: string | null;
}

/** How far the next index is, and what can be done about it. */
export function IndexBuild({ build, mayManage }: { build: IndexBuildView; mayManage: boolean }) {
  const { formData } = useNavigation();
  const changes = useChangesAddress();
  const { state, label, done, total, error } = build;
  const intent = formData?.get("index") === build.id ? formData.get("intent") : null;
  const titles = {
    building: "A new index is being built",
    ready: "A new index is ready",
    failed: "A new index failed",
  };
  return (
    <section
      aria-label="Next index"
      className="flex flex-col gap-2 rounded-md border border-line px-3 py-2.5"
    >
      <div>
        <p className="font-medium">{titles[state]}</p>
        <p className="wrap-anywhere text-muted text-xs">{label}</p>
      </div>
      {state === "building" && (
        <div>
          <ProgressBar label="Index build" done={done} total={total} />
          <p className="mt-1 text-muted text-xs tabular-nums">
            {total > 0 ? `${formatCount(done)} of ${formatCount(total)} chunks` : "Starting"}; the one before
            serves meanwhile
          </p>
        </div>
      )}
      {state === "ready" && (
        <p className="text-muted text-xs">Compare both in the retrieval check before you switch.</p>
      )}
      {error && <p className="wrap-anywhere text-danger-ink text-xs">{error}</p>}
      {mayManage && (
        <Form method="post" action={changes} preventScrollReset className="flex flex-wrap gap-2">
          <input type="hidden" name="index" value={build.id} />
          {state === "ready" && (
            <>
              <Button
                size="sm"
                variant="primary"
                name="intent"
                value="switch-index"
                pending={intent === "switch-index"}
              >
                Switch now
              </Button>
              <LinkButton size="sm" to="/rag/check">
                Compare
              </LinkButton>
            </>
          )}
          <Button size="sm" name="intent" value="cancel-index" pending={intent === "cancel-index"}>
            {state === "failed" ? "Dismiss" : "Cancel"}
          </Button>
        </Form>
      )}
    </section>
  );
}
