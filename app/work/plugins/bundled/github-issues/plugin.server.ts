import { z } from "zod";
import { clip } from "~/core/well-formed";
import { definePlugin, definePluginTool, type PluginContext } from "../../plugin";
import {
  callTracker,
  IssueBody,
  IssueLimit,
  IssueNumber,
  IssueState,
  IssueTitle,
  trackerManifest,
} from "../issue-tracker.server";

const Repository = z
  .string()
  .trim()
  // "." and ".." would lead to other calls of the API.
  .regex(/^(?!\.{1,2}\/)[\w.-]{1,100}\/(?!\.{1,2}$)[\w.-]{1,100}$/, "Use owner/name")
  .describe("Repository as owner/name");

const Issue = z.object({
  number: z.number(),
  title: z.string(),
  state: z.string(),
  html_url: z.string(),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullish(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])).default([]),
  comments: z.number().default(0),
  updated_at: z.string().default(""),
  pull_request: z.unknown().optional(),
});

const toIssue = ({
  html_url,
  user,
  labels,
  updated_at,
  body: _,
  pull_request: __,
  ...facts
}: z.infer<typeof Issue>) => ({
  ...facts,
  url: html_url,
  author: user?.login,
  labels: labels.map((label) => (typeof label === "string" ? label : (label.name ?? ""))),
  updatedAt: updated_at,
});

const call = (context: PluginContext, path: string, body?: unknown): Promise<unknown> =>
  callTracker(context, path, {
    body,
    headersFor: (token) => ({
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
      ...(token && { authorization: `Bearer ${token}` }),
    }),
  });

export const githubIssues = definePlugin(
  {
    id: "github-issues",
    title: "GitHub Issues",
    description:
      "Lists, reads and creates issues on GitHub or GitHub Enterprise. Public repositories need no account; a token by key reference opens private ones and creates issues.",
    tags: ["github", "issues", "tickets"],
    version: "1.0.0",
    released: "2026-11-20",
    ...trackerManifest(
      "API address",
      "Change it for GitHub Enterprise, such as https://github.example.com/api/v3",
      "https://api.github.com",
      "Leave blank for public repositories",
    ),
  },
  [
    definePluginTool({
      name: "list",
      title: "List issues",
      description: "Lists a GitHub repository's issues, the last updated first, without pull requests.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({ repository: Repository, state: IssueState, limit: IssueLimit }),
      async run({ repository, state, limit }, context) {
        const path = `/repos/${repository}/issues?state=${state}&sort=updated&per_page=100`;
        const issues = z.array(Issue).parse(await call(context, path));
        const own = issues.filter((issue) => !issue.pull_request);
        return { issues: own.slice(0, limit).map(toIssue) };
      },
    }),
    definePluginTool({
      name: "read",
      title: "Read an issue",
      description: "Reads one issue of a GitHub repository with its text and latest comments.",
      effect: "outside",
      onlyFetches: true,
      input: z.object({ repository: Repository, number: IssueNumber }),
      async run({ repository, number }, context) {
        const path = `/repos/${repository}/issues/${number}`;
        const issue = Issue.parse(await call(context, path));
        const Comment = z.object({
          body: z.string().nullish(),
          user: z.object({ login: z.string() }).nullish(),
        });
        const comments = z.array(Comment).parse(await call(context, `${path}/comments?per_page=30`));
        return {
          ...toIssue(issue),
          text: clip(issue.body ?? "", 10_000),
          discussion: comments.map(({ body, user }) => ({
            author: user?.login,
            text: clip(body ?? "", 2000),
          })),
        };
      },
    }),
    definePluginTool({
      name: "create",
      title: "Create an issue",
      description: "Creates an issue in a GitHub repository.",
      effect: "outside",
      input: z.object({
        repository: Repository,
        title: IssueTitle,
        body: IssueBody,
        labels: z.array(z.string().max(50)).max(20).default([]),
      }),
      run: async ({ repository, ...issue }, context) =>
        toIssue(Issue.parse(await call(context, `/repos/${repository}/issues`, issue))),
    }),
  ],
);
