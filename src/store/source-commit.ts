/**
 * The commit that a module's facts are true of. Most commits change few modules: what is known of all others at the new
 * commit is kept once, with the branch, and their rows stay as they are. It counts when the comparison of that commit came
 * to its end; until then, and while a newer commit waits (held), a module's own is the one it was read at. In SQL, of
 * `m`, a module, and `h`, the head of its branch.
 */
const isFollowing = `(m.source_commit is not null and m.held_commit is null and h.facts_commit = h.compared_commit)`;

export const joinHead = `left join source_head h on h.mesh = m.mesh and h.repository = m.repository and h.branch = m.branch`;

export const sourceCommit = `case when ${isFollowing} then h.facts_commit else m.source_commit end`;
export const sourceCommitAt = `case when ${isFollowing} then h.facts_commit_at else m.source_commit_at end`;
export const sourceSubject = `case when ${isFollowing} then h.facts_subject else m.source_subject end`;
/** When a comparison last had something new to read, of it or of its branch. */
export const comparedAt = `case when ${isFollowing} then greatest(m.compared_at, h.facts_at) else m.compared_at end`;
/** When what is known of it was last seen to hold: a look that found the tip that was compared confirms it, and writes nothing else. */
export const confirmedAt = `case when ${isFollowing} and m.unread is null and h.commit = h.compared_commit
  then greatest(m.compared_at, h.facts_at, h.looked_at) else ${comparedAt} end`;
