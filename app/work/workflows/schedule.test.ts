import { describe, expect, it } from "vitest";
import { choiceOf, choiceSentence, cronFromForm, cronOf, WEEKDAYS } from "./schedule.shared";

const sentence = (cron: string) => {
  const choice = choiceOf(cron);
  return choice && choiceSentence(choice);
};

describe("a schedule of the picker", () => {
  it.each([
    ["* * * * *", "Every minute"],
    ["*/15 * * * *", "Every 15 minutes"],
    ["0 * * * *", "Every hour"],
    ["5 * * * *", "Every hour at minute 5"],
    ["0 9 * * *", "Every day at 09:00"],
    ["30 17 * * 1-5", "Weekdays at 17:30"],
    ["0 8 * * 1", "Mondays at 08:00"],
    ["0 8 * * 0,3,6", "Sundays, Wednesdays and Saturdays at 08:00"],
    ["15 0 31 * *", "Day 31 of every month at 00:15"],
  ])("%s is %s, and back", (cron, words) => {
    expect(sentence(cron)).toBe(words);
    const choice = choiceOf(cron);
    expect(choice && cronOf(choice)).toBe(cron);
  });

  it.each(["0 9 1 * 1", "0 9-17 * * *", "*/7 * * * *", "0 9 * 2 *", "0 24 * * *", "0 9 * * mon", "", "x"])(
    "doesn't show %s",
    (cron) => expect(choiceOf(cron)).toBeUndefined(),
  );
});

describe("a sent form", () => {
  const picker = { repeat: "weekdays", at: "07:30", every: "15", day: "1" };

  it("takes the picker where the expression wasn't changed", () => {
    expect(cronFromForm("0 9 * * *", picker, "0 9 * * *")).toBe("30 7 * * 1-5");
    const on = Object.fromEntries(WEEKDAYS.map((_, day) => [`on${day}`, day > 4 ? "on" : undefined]));
    expect(cronFromForm("0 9 * * *", { ...picker, ...on, repeat: "week" }, "0 9 * * *")).toBe("30 7 * * 5,6");
  });

  it("takes the expression where that was changed, and where the picker can't show it", () => {
    expect(cronFromForm("0 0 1 1 *", picker, "0 9 * * *")).toBe("0 0 1 1 *");
    expect(cronFromForm("0 9-17 * * *", { ...picker, repeat: "custom" }, "0 9-17 * * *")).toBe(
      "0 9-17 * * *",
    );
  });

  it("keeps an expression's own spelling", () => {
    expect(cronFromForm("00 09 * * 7", { repeat: "week", at: "09:00", on0: "on" }, "00 09 * * 7")).toBe(
      "00 09 * * 7",
    );
  });

  it("never writes what the form made up", () => {
    expect(cronFromForm("0 9 * * *", { repeat: "day", at: "9; x" }, "0 9 * * *")).toBe("0 9 * * *");
    expect(cronFromForm("0 9 * * *", { repeat: "constructor" }, "0 9 * * *")).toBe("0 9 * * *");
  });
});
