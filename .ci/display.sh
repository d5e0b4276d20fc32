# shellcheck shell=bash
# To be sourced: a screen without a screen, for the crowd example in a window.
#
#   need_display [PACKAGE...]  installs on Debian what is missing of it, and these packages
#   start_display  starts it and exports DISPLAY; stop_display ends it
#   build_crowd    builds the example for it (in dev: in release it takes 20 minutes)
#   crowd ARGS...  runs it

# The software renderer does it: no graphics card is needed.
export WGPU_BACKEND=vulkan
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/tmp}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$HOME/.cache/bevy_aoi-target}
screen=1280x720

need_display() {
  local -A package_of=(
    [Xvfb]=xvfb [xdotool]=xdotool [import]=imagemagick
    [/usr/share/vulkan/icd.d/lvp_icd.*.json]=mesa-vulkan-drivers
    [libvulkan.so.1]=libvulkan1 [libxkbcommon-x11.so.0]=libxkbcommon-x11-0
    [libXcursor.so.1]=libxcursor1 [libXi.so.6]=libxi6 [libXrandr.so.2]=libxrandr2
  )
  local thing missing=()
  for thing in "${!package_of[@]}"; do
    case $thing in
      /*) compgen -G "$thing" >/dev/null ;;
      *.so.*) PATH=$PATH:/sbin ldconfig -p | grep -F "$thing" >/dev/null ;;
      *) command -v "$thing" >/dev/null ;;
    esac || missing+=("${package_of[$thing]}")
  done
  for thing in "$@"; do
    dpkg -s "$thing" >/dev/null 2>&1 || missing+=("$thing")
  done
  ((${#missing[@]})) || return 0
  echo "missing, installing: ${missing[*]}"
  local as_root=()
  ((EUID == 0)) || as_root=(sudo)
  "${as_root[@]}" apt-get update
  "${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}"
}

start_display() {
  local number
  exec {ready}< <(exec Xvfb -displayfd 1 -screen 0 "${screen}x24" -nolisten tcp 2>/dev/null)
  display_pid=$!
  read -r -t 30 -u "$ready" number || { echo 'error: Xvfb did not start' >&2; return 1; }
  export DISPLAY=:$number
}

stop_display() {
  [[ -z ${display_pid:-} ]] || kill "$display_pid" 2>/dev/null || true
}

build_crowd() {
  cargo build --locked --all-features --example crowd
}

crowd() {
  "$CARGO_TARGET_DIR/debug/examples/crowd" "$@"
}
