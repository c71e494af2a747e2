spool/scripts/setup          # once
mkdir -p my-movie/Sources/first-movie
cd my-movie
