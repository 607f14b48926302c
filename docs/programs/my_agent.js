// An agent for `shakespeare arena`: a program that reads questions and writes answers.
//
// It needs nothing but Node.js. It plays at random among the moves of the kind that it likes best.

const readline = require("node:readline");

const LIKED = ["activate", "recruit", "costume", "set"];
const DISLIKED = ["pass", "take", "extra"];

function liking(move) {
  const kind = move.split(":")[0];
  if (DISLIKED.includes(kind)) return -1;
  return LIKED.includes(kind) ? LIKED.length - LIKED.indexOf(kind) : 0;
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const question = JSON.parse(line);
  if (question.command !== "move") return;
  const most = Math.max(...question.moves.map(liking));
  const best = question.moves.filter((move) => liking(move) === most);
  const move = best[Math.floor(Math.random() * best.length)];
  process.stdout.write(JSON.stringify({ id: question.id, move }) + "\n");
});
