import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { processorMs } from "../../../../../tests/support/processor-time";
import { looksLikeMarkdown } from "./looks-like-markdown";

const lines = (...text: string[]) => text.join("\n");

describe("Markdown", () => {
  it.each([
    ["a heading and a sentence", lines("# Returns", "", "Goods are taken back within thirty days.")],
    [
      "headings close to their text",
      lines("# Trip", "We leave at nine in the morning.", "## Food", "Bring your own bread and cheese."),
    ],
    ["headings in a row", lines("# Plan", "## First week", "- ask Ada", "- call Bob")],
    [
      "underlined headings",
      lines("Plan", "====", "", "We go north, and then we look.", "", "Food", "----", "", "Bread."),
    ],
    [
      "a heading over steps",
      lines("How to do it:", "", "## Steps", "", "1. Open the box", "2. Close the box"),
    ],
    ["a table", lines("Prices of today:", "", "| Thing | Price |", "|-------|------:|", "| Tea | 2 |")],
    ["a table without outer lines", lines("Thing | Price", "--- | ---", "Tea | 2")],
    ["fenced code", lines("Run this:", "", "```sh", "npm ci", "# not a heading", "```")],
    [
      "a list with links",
      lines("- [One](https://example.org/1)", "- [Two](https://example.org/2)", "- three"),
    ],
    ["tasks", lines("- [ ] paint the door", "- [x] oil the hinge")],
    [
      "facts before it",
      lines("---", "title: Tides", "tags: [sea]", "---", "# Tides", "", "They come twice a day here."),
    ],
    ["Japanese", lines("# 手引き", "", "休暇は二週間前に申請してください。")],
    ["German, with Windows' line ends", "# Urlaub\r\n\r\nUrlaub wird zwei Wochen vorher beantragt.\r\n"],
    [
      "comments in its code",
      lines(
        "# Set up",
        "",
        "Do this once on each machine:",
        "",
        "    # update",
        "    apt update; apt upgrade",
      ),
    ],
  ])("is told by %s", (_, text) => {
    expect(looksLikeMarkdown(text)).toBe(true);
  });

  it("is what this product's own documents are", () => {
    const files = readdirSync("docs", { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".md"),
    );
    expect(files.length).toBeGreaterThan(20);
    const wrong = files.filter((name) => !looksLikeMarkdown(readFileSync(`docs/${name}`, "utf8")));
    expect(wrong).toEqual([]);
  });
});

describe("what isn't Markdown", () => {
  it.each([
    ["a letter", lines("Dear Ada,", "", "thank you for the book. I read it at once.", "", "Yours, Bob")],
    ["plain minutes", lines("Present: Ada, Bob", "", "- Budget was approved", "- Next meeting in May")],
    ["dialogue", lines("- Who is there?", "- It is me.", "- Come in.")],
    ["an answered mail", lines("> When do we leave?", "", "At nine.", "-- ", "Bob")],
    ["C", lines("#include <stdio.h>", "", "# define LIMIT 5", "", "int main(void) {", "  return 0;", "}")],
    [
      "a script",
      lines("#!/bin/sh", "# Copies everything to the other machine", "", "rsync -a /home backup:/home", ""),
    ],
    [
      "a script without its first line",
      lines("# Backup", "", "rsync -a /home /mnt/backup", "", "# Report", "", "echo done"),
    ],
    [
      "Python",
      lines(
        "# Reads the file",
        "",
        "import sys",
        "",
        "# Main part",
        "",
        "for line in sys.stdin:",
        "    print(line)",
      ),
    ],
    [
      "YAML",
      lines("# Users", "", "users:", "  - name: ada", "  - name: bob", "", "# Groups", "", "groups: []"),
    ],
    ["a list of users in YAML", lines("# Users", "", "- name: ada", "  uid: 1", "- name: bob", "  uid: 2")],
    ["settings", lines("# Network", "", "host = example.org", "port = 80", "", "# Log", "", "level = info")],
    [
      "comments and nothing else",
      lines(
        "# This file is written by a program.",
        "# Don't change it by hand.",
        "",
        "Nothing is set here so far as we know.",
      ),
    ],
    [
      "crontab",
      lines(
        "# Nightly",
        "",
        "* * * * * root run-parts /etc/cron.d",
        "* * 1 * * root backup",
        "0 3 * * * root sync",
      ),
    ],
    ["requirements", lines("# Web", "", "django==5.0", "", "# Tests", "", "pytest==8.0")],
    ["ignored files", lines("# Logs", "", "*.log", "", "# Build", "", "build/")],
    ["a channel's messages", lines("#general: who is in today?", "#general: I am, all day long.")],
    ["CSV", lines("name,price", "tea,2", "cake,3")],
    ["a query's result", lines(" name | price ", "------+-------", " tea  |     2 ", "(1 row)")],
    ["SQL", lines("-- Users", "", "SELECT name FROM users", "WHERE id = 1;")],
    [
      "a difference",
      lines("diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1,2 +1,2 @@", "-# Old", "+# New"),
    ],
    ["nothing", " \n\n "],
  ])("is %s", (_, text) => {
    expect(looksLikeMarkdown(text)).toBe(false);
  });

  it("is any file of this product's code and settings", () => {
    const folders = ["app/core", "app/features/knowledge", "scripts", "db/migrations", "."];
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile() && !/\.(md|png|svg)$/.test(entry.name))
        .map(({ name }) => `${folder}/${name}`),
    );
    expect(files.length).toBeGreaterThan(60);
    expect(files.filter((name) => looksLikeMarkdown(readFileSync(name, "utf8")))).toEqual([]);
  });
});

it.each([
  "`",
  "# ",
  "|-",
  "- x\n",
  "- [a\n",
  "a ",
  "$",
  " -a",
  "\n# a".padEnd(60_000),
  "- a\n- b\n- ".padEnd(60_000, "["),
  "a|b\n".padEnd(60_000, "---|"),
])("takes no longer for what is made to take long: %.10s", (piece) => {
  const text = piece.repeat(Math.ceil(60_000 / piece.length));
  const began = process.cpuUsage();
  looksLikeMarkdown(text);
  expect(processorMs(began)).toBeLessThan(500);
});
