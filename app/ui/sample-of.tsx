import { useRouteLoaderData } from "@remix-run/react";
import { Sample } from "./badge";

/** The mark of what belongs to the sample team, whose ids the shell loads; nothing for anything else. */
export function SampleOf({ id }: { id: string }) {
  const { shell } = useRouteLoaderData<{ shell?: { samples: string[] } }>("routes/shell/layout") ?? {};
  return shell?.samples.includes(id) ? <Sample /> : null;
}
