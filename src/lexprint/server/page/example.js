// Something to try the page with, for who has no document at hand.

export const EXAMPLE = {
  name: "Example: merger memo",
  recipients: `Ada Lovelace
Grace Hopper
Alan Turing
Emmy Noether
Kurt Gödel
Sofya Kovalevskaya
Srinivasa Ramanujan
Mary Somerville
Carl Friedrich Gauss
Hypatia`,
  text: `Memorandum on the merger

The board met on Tuesday evening to discuss the proposed merger with our largest rival, and most of those who spoke were pleased with the progress of the talks. The chairman began by thanking the staff for their patience during a difficult year. He said that the company had survived a severe crisis, that costs had fallen, and that customers were slowly beginning to return. He warned, however, that the coming winter would be hard and that nobody should expect a quick recovery.

The finance director then presented the results of the autumn. Sales had increased in every region except the north, where a long strike had closed two factories for several weeks. Profits were smaller than expected, mainly because raw materials had become more expensive. She explained that the firm still had enough money to finish the new plant, but that large investments elsewhere would have to wait until the bank had approved the loan. A young engineer asked whether the old machines could be sold, and she answered that buyers were difficult to find.

After a short break the lawyers described the agreement in detail. Both firms would keep their names for at least three years, and no office would be closed before the end of that period. The price would be paid partly in cash and partly in shares. Several members feared that the authorities might reject the plan, since the new group would control almost half of the market. The lawyers thought this unlikely, but they admitted that the inquiry could take many months and that rumours would harm both sides.

The meeting grew tense when the question of jobs was raised. A representative of the workers demanded a clear promise that nobody would be dismissed. The chairman replied that he could not give such a promise, though he intended to help everyone who was forced to leave. Some of the older employees would be offered a generous pension, and younger ones would be trained for other tasks. The representative called this answer weak, and he announced that his colleagues would vote on a strike if the talks failed.

Towards midnight the board decided to continue the negotiations and to meet again in two weeks. Until then everything that was said must remain secret. Journalists have already called several managers at home, and one newspaper has printed a story that is partly true. Whoever talks to the press damages the company and risks losing his position. Please read this note carefully, do not copy it, and destroy it when you have finished.
`,
};
