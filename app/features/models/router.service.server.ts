export { generateWithModel, type OpenedModel, openModel } from "./router/open-model.server";
export type { CallEnd, Routed, RouteRequest } from "./router/rounds.server";
export { newRouteRecord, routeCall } from "./router/route-call.server";
export type { RouteTarget } from "./router/targets.server";
