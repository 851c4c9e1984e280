import type { LLMock } from "@copilotkit/aimock";
import type { TestServer } from "./server";

const QUESTION = "Who is on call on the night shift, and what do they do first?";

const ANSWER = `## On call at night

Whoever is on call answers **within fifteen minutes** [1]. Customers hear of it by the status page [2].

| Component with a fairly long name | Severity | What is done first | Runbook in the operations manual | Downtime accepted |
|---|---|---|---|---:|
| Primary database and its replicas | high | Promote the replica that is least behind, then stop writes | \`runbooks/database/promote-replica.md\` | 12 min |
| Queue of incoming messages | medium | Pause the consumers | \`runbooks/queue/pause.md\` | 45 min |
| Nightly report | low | Run it again in the morning | \`runbooks/report.md\` | 8 h |

### How often it happens

With a failure rate of $\\lambda = 0.02\\,h^{-1}$ and a shift of $t = 12\\,h$, the chance of at least one page is

$$ p = 1 - e^{-\\lambda t} \\approx 0.21 $$

### First steps

1. Look at the console's state:

   \`\`\`sh
   systemctl status console   # running since the last release
   journalctl -u console --since "1 hour ago" | grep -i error
   \`\`\`

2. Note what was tried, also what didn't help [1].
   - [x] Pager acknowledged
   - [ ] Status page updated

\`\`\`python
def downtime(events: list[Event], *, since: datetime) -> timedelta:
    """Sum of all outages, without planned maintenance."""
    outages = (event for event in events if event.start >= since and not event.planned)
    return sum((event.end - event.start for event in outages), start=timedelta())
\`\`\`

> A handover without notes is no handover.

#### Open questions

Nobody is named for severity 3 at night.
`;

/** Answers the question of `addRichConversation` with a search and then with all that Markdown can show. */
export function answerRichly(mock: LLMock): void {
  const call = { name: "qdrant__search", arguments: { query: "on call at night" } };
  mock
    .on({ userMessage: "night shift", hasToolResult: true }, { content: ANSWER })
    .on({ userMessage: "night shift" }, { toolCalls: [{ id: "call_night", ...call }] });
}

/** A conversation with a tool call, citations, a wide table, formulas and code. */
export async function addRichConversation(server: TestServer, model: string): Promise<void> {
  let conversationId: string | null = null;
  for (const content of ["Please greet the team", QUESTION]) {
    const json = {
      messages: [{ role: "user", content }],
      model,
      tools: ["qdrant.search"],
      ...(conversationId ? { conversationId } : {}),
    };
    const response: Response = await server.ask("/api/ai/chat", { as: "owner", json });
    const text = await response.text();
    if (!response.ok) throw new Error(`The chat returned HTTP ${response.status}: ${text.slice(0, 300)}`);
    conversationId ??= response.headers.get("x-conversation-id");
  }
}
