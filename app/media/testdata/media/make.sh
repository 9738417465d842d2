#!/bin/bash
# Makes the videos and sounds of this folder with FFmpeg 5.1. All videos
# are black for a quarter of a second and then blue on the left and orange on the right; all
# sounds are a tone that is loud at first and then quiet.
set -e
cd "$(dirname "$0")"
f="ffmpeg -v error -y -threads 1 -fflags +bitexact"
picture="color=black:s=96x64:r=8:d=0.25[b];color=0x1040e0:s=48x64:r=8:d=0.75[l];color=0xf08010:s=48x64:r=8:d=0.75[r];"
picture+="[l][r]hstack,format=yuv420p[p];[b][p]concat=n=2:v=1:a=0,format=yuv420p"
tone="aevalsrc=(0.8-0.7*gt(t\,0.5))*sin(880*PI*t):s=16000:d=1"
v="-f lavfi -i $picture" a="-f lavfi -i $tone"
tags=(-metadata title=Halves -metadata artist=Ada -metadata "copyright=(c)Ada" -metadata comment=Blue)
exact="-fflags +bitexact -flags:v +bitexact -flags:a +bitexact"
h264="-c:v libx264 -g 2 -preset veryslow -pix_fmt yuv420p -x264-params no-info=1"
$f $v $a $h264 -c:a aac -b:a 16k "${tags[@]}" \
	-metadata creation_time=2024-05-01T12:00:00Z -metadata location=+48.8584+002.2945/ $exact -movflags +faststart a.mp4
$f $v -c:v libaom-av1 -g 2 -cpu-used 4 -b:v 20k $exact -movflags +faststart a-av1.mp4
$f $v $a $h264 -c:a aac -b:a 16k -metadata title=Halves $exact a.mov
$f $v $h264 -metadata title=Halves -brand M4V $exact a.m4v
$f $v $a -c:v h263 -s 128x96 -r 8 -c:a aac -b:a 16k $exact a.3gp
$f $v $a -c:v libvpx-vp9 -g 2 -b:v 20k -c:a libopus -ar 16000 -b:a 8k "${tags[@]}" $exact a.webm
$f $v $a $h264 -c:a aac -b:a 16k "${tags[@]}" $exact a.mkv
$f $v $a -c:v mpeg4 -g 2 -b:v 20k -c:a mp2 -ar 16000 -b:a 8k "${tags[@]}" $exact a.avi
$f $v $a -c:v mpeg2video -r 25 -g 3 -b:v 40k -c:a mp2 -ar 16000 -b:a 8k -f vob $exact a.mpg
$f $v $a -c:v mpeg1video -r 25 -g 3 -b:v 40k -c:a mp2 -ar 32000 -b:a 32k -f mpeg $exact a-mpeg1.mpg
$f $v -c:v mpeg2video -r 25 -g 3 -b:v 40k $exact a.m2v
$f $v $a $h264 -c:a aac -b:a 16k $exact a.ts
$f $v $a -c:v flv -g 2 -b:v 20k -c:a aac -b:a 16k $exact a.flv
$f $v $a -c:v wmv2 -g 2 -b:v 20k -c:a wmav2 -ar 16000 -b:a 24k "${tags[@]}" $exact a.wmv
$f $a -c:a wmav2 -ar 16000 -b:a 24k "${tags[@]}" $exact a.wma
$f $v $a -c:v libtheora -g 2 -b:v 20k -c:a libvorbis -ar 16000 -q:a 0 "${tags[@]}" $exact a.ogv
$f $v -c:v mpeg2video -r 25 -g 3 -b:v 40k -t 0.6 $exact a.mxf
$f $v -ss 0.5 -s 720x480 -r 30000/1001 -c:v dvvideo -pix_fmt yuv411p -frames:v 1 $exact a.dv
$f $a -c:a aac -b:a 16k "${tags[@]}" $exact a.m4a
$f -f lavfi -i color=0x1040e0:s=40x40:d=0.04 -frames:v 1 -q:v 20 $exact /tmp/cover.jpg
$f $a -i /tmp/cover.jpg -map 0:a -map 1:v -c:v copy -disposition:v attached_pic -c:a libmp3lame -b:a 8k "${tags[@]}" \
	-metadata album=Tones -metadata track=3/7 -metadata genre=Ambient -metadata date=2024 $exact a.mp3
$f $a -c:a aac -b:a 16k $exact a.aac
$f $a -c:a flac "${tags[@]}" $exact a.flac
$f $a -ar 4000 -c:a pcm_u8 "${tags[@]}" $exact a.wav
$f $a -ar 4000 -c:a pcm_s8 $exact a.aiff
$f $a -c:a libvorbis -q:a 0 "${tags[@]}" $exact a.ogg
$f $a -c:a libopus -b:a 8k "${tags[@]}" $exact a.opus
{ printf '#!AMR\n'; for i in $(seq 50); do printf '\x04'; printf "frame $i of fifty" | sha256sum | head -c 12; done; } >a.amr # noise
$f $a -ar 4000 -c:a pcm_s16le -f caf $exact a.caf
$f $a -ar 4000 -c:a pcm_u8 -f w64 $exact a.w64
$f $a -ar 32000 -c:a ac3 -b:a 32k $exact a.ac3
$f $a -ar 32000 -c:a eac3 -b:a 32k $exact a.eac3
