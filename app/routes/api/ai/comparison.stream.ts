import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { eventStream } from "~/http/sse.server";
import { followComparison, hasMore } from "~/work/comparisons/follow.service.server";

const Position = z.string().max(100);

const route = resource({
  path: "/api/ai/comparisons/{comparison}/stream",
  tag: "Comparisons",
  GET: endpoint({
    summary: "Stream all of its answers",
    description:
      "Server-sent events `{ column, chunk }`: `column` counts from 0, `chunk` is one of the chat's stream. Each " +
      "event's id is a position, the last event of every column joined by dots; the stream resumes after " +
      "`Last-Event-ID`, or after the query's `after` if a first request has no header. 204 when nothing " +
      "comes after it.",
    access: "chat.use",
    params: z.object({ comparison: z.string().max(100) }),
    query: z.object({ after: Position.default("").describe("The columns' last event ids, joined by dots") }),
    produces: "text/event-stream",
    handle: ({ actor, params, query, request, context }) => {
      const after = request.headers.get("last-event-id") ?? query.after;
      const { comparison } = params;
      // Before the stream begins, which can't become a 204.
      if (!hasMore(actor, comparison, after)) return reply(null, { status: 204 });
      return eventStream(context, (sink) => {
        const leave = followComparison(actor, comparison, after, (event, interruption) => {
          if (event) return sink.send(`{"column":${event.column},"chunk":${event.json}}`, event.position);
          if (interruption === undefined) sink.send("[DONE]");
          sink.close();
        });
        if (!leave) sink.close();
        return leave ?? (() => {});
      });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
