import { expect, it } from "vitest";
import { describeHosts } from "./describe-hosts";

it("counts many providers on one host and names each host", () => {
  const on = (host: string, ...providers: string[]) => providers.map((provider) => ({ provider, host }));
  expect(
    describeHosts([
      ...on("10.0.0.5:8000", "Team server", "GPU room", "Third", "Fourth"),
      ...on("api.openai.com", "OpenAI", "OpenAI"),
    ]),
  ).toEqual(["Team server, GPU room and 2 more at 10.0.0.5:8000", "OpenAI at api.openai.com"]);
});
