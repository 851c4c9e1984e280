import type { Role } from "~/core/actor";

// A fictional maker of harbor cranes. Addresses end with demo.example (RFC 2606).

export const TEAM_TITLE = "Harbor Robotics (Demo)";
export const DOMAIN = "demo.example";

export const PEOPLE: readonly (readonly [first: string, last: string, role: Role, share: number])[] = [
  ["Ines", "Moreau", "owner", 4],
  ["Tomasz", "Zielinski", "admin", 7],
  ["Aisha", "Rahman", "admin", 5],
  ["Lena", "Vogt", "member", 14],
  ["Marcus", "Oyelaran", "member", 12],
  ["Yuki", "Tanaka", "member", 11],
  ["Priya", "Nair", "member", 9],
  ["Diego", "Castellanos", "member", 8],
  ["Freya", "Lindqvist", "member", 7],
  ["Samuel", "Adeyemi", "member", 6],
  ["Hannah", "Weiss", "member", 5],
  ["Kofi", "Mensah", "member", 4],
  ["Elif", "Demir", "member", 3],
  ["Noah", "Petersen", "member", 2],
  ["Clara", "Dubois", "viewer", 0],
  ["Ravi", "Menon", "viewer", 0],
];

export const GROUPS: readonly (readonly [name: string, people: readonly number[]])[] = [
  ["Engineering", [1, 3, 4, 5, 7]],
  ["Service", [6, 8, 9, 10]],
  ["Sales", [2, 11, 12, 13, 14]],
];

/** Type, name, and models with USD per million tokens in and out, ms to the first token, and a weight. */
export const PROVIDERS = [
  {
    type: "openai",
    name: "OpenAI",
    models: [
      { id: "gpt-4o", input: 2.5, output: 10, firstTokenMs: 480, weight: 26 },
      { id: "gpt-4o-mini", input: 0.15, output: 0.6, firstTokenMs: 310, weight: 30 },
    ],
  },
  {
    type: "anthropic",
    name: "Anthropic",
    models: [{ id: "claude-sonnet-4-5", input: 3, output: 15, firstTokenMs: 620, weight: 22 }],
  },
  {
    type: "google",
    name: "Google",
    models: [{ id: "gemini-2.5-flash", input: 0.3, output: 2.5, firstTokenMs: 390, weight: 14 }],
  },
  {
    type: "custom",
    name: "GPU room",
    models: [{ id: "llama-3.3-70b", input: null, output: null, firstTokenMs: 210, weight: 8 }],
  },
] as const;

export const PERSONAS = [
  {
    name: "Service desk",
    systemPrompt:
      "You help technicians with faults of harbor cranes. Quote the manual, and name the step to take first.",
    mode: "operations",
    tools: ["qdrant.search", "kv.get"],
  },
  {
    name: "Proposal writer",
    systemPrompt: "You draft proposals for port operators: short, with figures, without superlatives.",
    mode: "default",
    tools: ["qdrant.search", "web.fetch"],
  },
  {
    name: "Code reviewer",
    systemPrompt:
      "You review changes to the crane controller. Name risks first, then what is missing in the tests.",
    mode: "development",
    tools: ["http.request"],
  },
  {
    name: "Market researcher",
    systemPrompt: "You read sources about port automation and say what is new, with links.",
    mode: "research",
    tools: ["web.fetch", "ingest.queue"],
  },
] as const;

export const TOKENS = ["Ticket system", "Nightly reports", "Controller CI"] as const;
export const TOOLS = [
  "qdrant.search",
  "web.fetch",
  "http.request",
  "kv.get",
  "kv.set",
  "ingest.queue",
] as const;

const PARTS = [
  "Hoist",
  "Trolley",
  "Gantry",
  "Spreader",
  "Cabin",
  "Anti-sway control",
  "Power supply",
  "Brakes",
];

export const DOCUMENTS: readonly (readonly [title: string, category: string, text: string])[] = [
  ...PARTS.flatMap((part, at): [string, string, string][] => [
    [
      `${part}: maintenance plan`,
      "Maintenance",
      `# ${part}: maintenance plan\n\nInspect the ${part.toLowerCase()} every ${200 + at * 50} operating hours. Lock out the drive before any work.\n\n## Monthly\n\nCheck fastenings, cable runs and limit switches. Record play above ${(0.2 + at * 0.1).toFixed(1)} mm.\n\n## Yearly\n\nReplace seals, measure insulation and run the load test at 110 % of the rated load.`,
    ],
    [
      `${part}: fault codes`,
      "Faults",
      `# ${part}: fault codes\n\n| Code | Meaning | First step |\n|---|---|---|\n| ${10 + at}1 | Overload | Lower the load and read the cell |\n| ${10 + at}2 | Limit switch | Move back and check the cam |\n| ${10 + at}3 | Communication lost | Check the bus terminator |\n\nA code that returns within an hour goes to the second line.`,
    ],
  ]),
  [
    "On-call handbook",
    "Operations",
    "# On-call handbook\n\nThe pager goes to the first line for 15 minutes, then to the second. Write down the time of each step.\n\n## At night\n\nNobody climbs a crane alone after 20:00. Stop the crane remotely and wait for the second person.",
  ],
  [
    "Travel policy",
    "People",
    "# Travel policy\n\nBook trains under six hours. Hotels up to 140 euros a night need no approval. Hand in receipts within 30 days.",
  ],
  [
    "Holiday rules",
    "People",
    "# Holiday rules\n\nEveryone has 30 days a year. Ask for more than two weeks in a row four weeks ahead. Unused days end on March 31.",
  ],
  [
    "Security policy",
    "Operations",
    "# Security policy\n\nKeys are references to the environment, never values. Report a lost device within the hour. Customer plans stay on our own models.",
  ],
];

export const CONVERSATIONS: readonly (readonly [title: string, question: string, answer: string])[] = [
  [
    "Fault 112 on the hoist",
    "What does fault 112 on the hoist mean, and what do I check first?",
    "**112 is a limit switch fault.** Move the hoist back out of the end position, then check the cam that presses the switch.\n\nIf the code returns within an hour, hand it to the second line.",
  ],
  [
    "Proposal for the port of Rotterdam",
    "Draft an opening paragraph for a proposal to automate four gantry cranes.",
    "Four of your gantry cranes handle 38 % of the containers in the north basin. Automating them cuts the waiting time of trucks by about eleven minutes, and pays for itself in 26 months.",
  ],
  [
    "Review of the anti-sway change",
    "Name the risks of raising the sway filter's cut-off from 0.4 to 0.6 Hz.",
    "1. Wind gusts above 0.5 Hz pass the filter.\n2. The trolley's drive heats up more.\n3. The tests cover loads up to 20 t alone.",
  ],
  [
    "What is new in port automation",
    "Summarize what was published on remote crane operation this month.",
    "Three things stand out: a field test with one operator for three cranes, a new draft standard for latency budgets, and an accident report that blames a missing heartbeat.",
  ],
  [
    "Holiday in summer",
    "How early do I have to ask for three weeks off?",
    "Four weeks ahead, since it is more than two weeks in a row [1].",
  ],
  [
    "SQL for the spare parts report",
    "Write a query that lists spare parts ordered more than twice this quarter.",
    "```sql\nSELECT part, count(*) AS orders\nFROM orders\nWHERE ordered_at >= date('now', 'start of month', '-2 months')\nGROUP BY part\nHAVING orders > 2\nORDER BY orders DESC;\n```",
  ],
];
