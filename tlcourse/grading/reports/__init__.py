"""What is written about graded hand-ins: tables, pages, similarity."""
