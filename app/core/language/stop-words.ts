const words = (list: string) => new Set(list.split(" "));

/** English, German, French, Spanish; without accents, as in the index. */
const STOP_WORDS: readonly ReadonlySet<string>[] = [
  words(
    "a about above after again against all also am an and any are aren as at be because been before being below " +
      "between both but by can cannot could couldn d did didn do does doesn doing don down during each few for from " +
      "further get give had hadn has hasn have haven having he her here hers herself him himself his how i if in " +
      "into is isn it its itself just ll let m me more most mustn my myself no nor not now of off on once only or " +
      "other our ours ourselves out over own please re s same shan she should shouldn so some such t tell than that " +
      "the their theirs them themselves then there these they this those through to too under until up ve very was " +
      "wasn we were weren what when where which while who whom whose why will with won would wouldn you your yours " +
      "yourself yourselves",
  ),
  words(
    "aber alle allem allen aller alles als also am an andere anderen auch auf aus bei bin bis bist da damit dann das " +
      "dass dein deine dem den der des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein " +
      "eine einem einen einer eines er es euch euer fur gibt habe haben hat hatte hier ich ihm ihn ihnen ihr ihre im " +
      "in ins ist ja jede jeder jedes kann kein keine konnen man mein meine mich mir mit muss nach nicht noch nun " +
      "nur ob oder ohne sehr sein seine sich sie sind so soll uber um und uns unser unter vom von vor wann war waren " +
      "warum was weil welche welchen welcher welches wenn wer werden wie wieder will wir wird wo zu zum zur",
  ),
  words(
    "a ai ait alors au aucun aussi autre aux avec avoir c ce cela ces cet cette ceux chez comme comment d dans de " +
      "des doit donc dont du elle elles en entre est et ete etre eu fait il ils j je l la le les leur leurs lui m " +
      "ma mais me meme mes moi mon n ne nos notre nous on ont ou par pas peut plus pour pourquoi qu quand que quel " +
      "quelle quelles quels qui quoi s sa sans se sera ses si son sont sous sur t ta te tes toi ton tous tout toute " +
      "toutes tres tu un une vos votre vous y",
  ),
  words(
    "a al algo alguna algunas alguno algunos ante antes aqui asi aunque cada como con cual cuales cuando de del " +
      "desde donde dos el ella ellas ellos en entre era eran es esa esas ese eso esos esta estaba estan estar estas " +
      "este esto estos fue ha hace hacia han hasta hay la las le les lo los mas me mi mis mucho muy nada ni no nos " +
      "nosotros o otra otras otro otros para pero poco por porque puede pueden que quien quienes se sea ser si sido " +
      "sin sobre son su sus tambien tan te tiene tienen todo todos tu tus un una unas uno unos y ya yo",
  ),
];

/** Removes stop words of the best-matching language. Returns all terms if none would remain. */
export function withoutStopWords(terms: readonly string[]): string[] {
  let best: ReadonlySet<string> = new Set();
  let max = 0;
  for (const list of STOP_WORDS) {
    const hits = terms.filter((term) => list.has(term)).length;
    if (hits > max) [best, max] = [list, hits];
  }
  const remaining = terms.filter((term) => !best.has(term));
  return remaining.length > 0 ? remaining : [...terms];
}
