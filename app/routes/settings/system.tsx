import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { FactsCard } from "~/features/settings/components/facts-card";
import { readSystem } from "~/features/settings/system.service.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";

export function loader({ request, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, () => readSystem(actor));
}

export default function System() {
  const system = useLoaderData<typeof loader>();
  const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;
  return (
    <FactsCard
      title="System"
      description="What this console runs on."
      facts={[
        ["Node.js", system.node],
        ["SQLite", system.sqlite],
        ["Data folder", system.dataDir],
        ["Database", megabytes(system.databaseBytes)],
        ["Memory in use", megabytes(system.memoryBytes)],
      ]}
    />
  );
}
