import { endpoint, resource } from "~/http/resource.server";
import { CompareQuery, VersionChanges } from "~/work/workflows/versions.schema";
import { compareVersions } from "~/work/workflows/versions.service.server";
import { VersionParams } from "~/work/workflows/workflows.schema";

const route = resource({
  path: "/api/workflows/{id}/versions/{version}/changes",
  tag: "Workflows",
  GET: endpoint({
    summary: "Compare a version with an earlier one",
    access: "screens.read",
    params: VersionParams,
    query: CompareQuery,
    response: VersionChanges,
    handle: ({ actor, params, query }) => compareVersions(actor, params.id, query.since, params.version),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
