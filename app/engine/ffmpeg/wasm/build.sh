#!/bin/bash
# Builds ffmpeg.wasm: FFmpeg's libraries with decoders and demuxers only, all of them under
# the LGPL 2.1 or later, and media.c. README.md says what it takes. FOLDER is where it
# builds; without one, that is a new folder under /tmp.
#
#   ./build.sh libav.js-6.10.9.tgz [FOLDER]
set -euo pipefail

tarball=$(realpath "$1")
work=${2:-$(mktemp -d /tmp/ffmpeg-wasm.XXXXXX)}
here=$(dirname "$(realpath "$0")")
sum=73f7a945d637c564edb050df7fd329845d4a9f556c6ce019bbcab7d778f16b97
compiler=16.0.6

echo "$sum  $tarball" | sha256sum --check --quiet
clang-16 --version | grep -qF "version $compiler" || { echo "this needs clang $compiler" >&2; exit 1; }

mkdir -p "$work/build"
cd "$work"
[ -d ffmpeg-9.0 ] || tar -xzOf "$tarball" package/sources/ffmpeg-9.0.tar.xz | tar -xJ --no-same-owner
cd build

target=(--target=wasm32-wasi -O3 -msimd128)
emulated=(SIGNAL PROCESS_CLOCKS GETPID MMAN)
defines=("${emulated[@]/#/-D_WASI_EMULATED_}")
libraries=(-lwasi-emulated-signal -lwasi-emulated-process-clocks -lwasi-emulated-getpid -lwasi-emulated-mman)

demuxers=mov,matroska,avi,mpegts,mpegps,mpegvideo,flv,asf,ogg,wav,w64,aiff,mp3,aac,ac3,eac3,flac,amr,caf,mxf,dv
parsers=amr,dca,h261,vp3,h264,hevc,vp8,vp9,av1,mpeg4video,mpegvideo,mpegaudio,aac,aac_latm
parsers+=,ac3,flac,opus,vorbis,mjpeg,h263,vc1,dnxhd,dvbsub,jpeg2000
video=h264,hevc,vp8,vp9,mpeg4,mpeg2video,mpeg1video,h261,h263,h263i,h263p,msmpeg4v1,msmpeg4v2,msmpeg4v3,wmv1,wmv2,wmv3,vc1
video+=,flv,vp6,vp6a,vp6f,theora,mjpeg,mjpegb,prores,dnxhd,qtrle,rpza,svq1,svq3,rawvideo,v210,dvvideo,cinepak,msvideo1,indeo3,indeo5
video+=,huffyuv,ffv1,ffvhuff,cfhd,jpeg2000,gif,bmp,webp
audio=aac,aac_latm,mp1,mp2,mp3,opus,vorbis,speex,flac,alac,ac3,eac3,dca,wmav1,wmav2,wmapro,wmalossless,wmavoice,amrnb,amrwb,nellymoser
audio+=,pcm_s8,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_f64le,pcm_f64be,pcm_u8
audio+=,pcm_s16le_planar,pcm_alaw,pcm_mulaw,pcm_dvd,pcm_bluray,adpcm_ms,adpcm_ima_wav,adpcm_ima_qt,adpcm_swf

../ffmpeg-9.0/configure --prefix=/ffmpeg --enable-cross-compile --target-os=none --arch=wasm32 \
	--cc=clang-16 --ld=clang-16 --ar=llvm-ar-16 --nm=llvm-nm-16 --ranlib=llvm-ranlib-16 --strip=true \
	--extra-cflags="${target[*]} ${defines[*]}" --extra-ldflags="${target[*]} ${libraries[*]}" \
	--disable-everything --disable-programs --disable-doc --disable-debug --disable-network --disable-autodetect \
	--disable-simd128 --disable-pthreads --disable-runtime-cpudetect --disable-avdevice --disable-avfilter \
	--enable-avcodec --enable-avformat --enable-swscale --enable-swresample \
	--enable-demuxer=$demuxers --enable-parser=$parsers --enable-decoder=$video,$audio \
	--enable-bsf=h264_mp4toannexb,hevc_mp4toannexb,vp9_superframe_split,extract_extradata
make -j"$(nproc)" install DESTDIR="$work/out" >make.log

cd "$work"
cp "$here/media.c" .
clang-16 "${target[@]}" -mexec-model=reactor -Iout/ffmpeg/include "${defines[@]}" media.c -o ffmpeg.wasm \
	-Lout/ffmpeg/lib -lavformat -lavcodec -lswscale -lswresample -lavutil -lm "${libraries[@]}" \
	-Wl,--export=malloc,--export=free,--strip-all,--stack-first,-z,stack-size=2097152
sha256sum "$work/ffmpeg.wasm"
