swift run -c release first-movie first.mp4 second.mp4 music.m4a movie.mp4
