import { stem } from "./stem";

/**
 * Stems of the thousand most common English words without the stop words. Chosen by hand, not from a test collection.
 */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  (
    "able accept accord account across act action actual add age ago agree allow almost alone along already " +
    "although always amount another answer anyone anything appear apply area around arrive article ask aspect " +
    "available away back bad base basic become begin behind believe benefit best better big bit body book " +
    "break bring build buy call came care carry case cause certain chance change check choice choose clear " +
    "close collect come common compare complete concern condition consider contain continue control correct " +
    "cost course cover create current cut day deal decide deep define degree deliver depend describe design " +
    "detail determine develop die differ different difficult direct discuss do document done drive early easy " +
    "effect effort either else end enough entire especially establish etc even event ever every everyone " +
    "everything evidence exact example exist expect experience explain express face fact fall far fast feel " +
    "few field figure fill final find fine first five follow force form found four free front full function " +
    "future gain general give given go goal gone good got great group grow half hand happen hard have head " +
    "hear held help hence high hold hope hour however human idea identify important improve include increase " +
    "indeed individual inform information instead interest involve issue item job keep kind knew know " +
    "knowledge known lack large last late later lead learn least leave left less let level life like likely " +
    "limit line list little live local long look lose lot low made main major make man manage many mark " +
    "matter maybe mean measure meet mention method might mind minute miss moment month morning most move much " +
    "must name natural near necessary need never new next none normal note nothing notice number obtain occur " +
    "offer office often old one open operate opportunity order organize original others otherwise overall " +
    "page paper part particular pass past pay people per perhaps period person place plan play point position " +
    "possible practice prepare present previous primary probable problem proceed process produce program " +
    "project proper propose prove provide public purpose put quality question quick quite range rate rather " +
    "reach read ready real really reason receive recent record reduce refer regard relate remain remember " +
    "report represent require research respect rest result return right role rule run said same saw say " +
    "second section see seem seen select send sense separate serious serve service set several shall short " +
    "show side significant similar simple simply since single situation six small social someone something " +
    "sometimes soon sort sound source speak special specific stand standard start state statement still stop " +
    "study subject success sudden suggest support suppose sure system table take task technique ten term test " +
    "thing think thought thousand three thus time today together told tomorrow took top toward true try turn " +
    "two type unit unless upon use usual value various view want way week well went whether whole wide within " +
    "without woman word work world write wrong year yes yet young"
  )
    .split(" ")
    .map(stem),
);
