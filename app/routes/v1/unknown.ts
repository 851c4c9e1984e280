import { chatCompletions } from "~/ai/gateway/gateway.service.server";
import { direct } from "~/http/direct.server";

/** 404 in the caller's protocol. */
const route = direct({ path: "/v1/*", tag: "Gateway", refuse: chatCompletions.refuse });
const loader = route.loader;
const action = route.action;

export { action, loader };
