-- The folder at the top of a branch as the document has it: as it was given while all files lie below it, else the root of the
-- repository. A branch that was given without folders has none until something is committed to it.
CREATE VIEW document_root AS
SELECT x.branch_id, x.tree_id, iif(x.given, x.root_name, 'root') AS name, iif(x.given, x.root_path, '') AS path,
  iif(x.given, x.root_dir, '') AS dir, iif(EXISTS (SELECT 1 FROM document_path p WHERE p.branch_id = x.branch_id AND p.given_path LIKE '/%'), '/', '') AS prefix
FROM (
  SELECT b.id AS branch_id, c.tree_id, b.root_name, b.root_path, b.root_dir, b.root_name IS NOT NULL AND (b.root_dir = '' OR NOT EXISTS (
      SELECT 1 FROM tree_entry e WHERE e.tree_id = c.tree_id AND NOT (e.path > b.root_dir || '/' AND e.path < b.root_dir || '0'))) AS given
  FROM branch b JOIN git_commit c ON c.id = b.commit_id
  WHERE b.root_name IS NOT NULL OR b.commit_id IS NOT b.document_commit_id
) x;
